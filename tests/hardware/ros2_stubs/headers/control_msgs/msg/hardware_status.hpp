#pragma once
namespace control_msgs::msg { struct HardwareStatus {}; struct HardwareDeviceStatus {}; }
