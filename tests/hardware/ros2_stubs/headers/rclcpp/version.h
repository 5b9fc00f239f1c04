#pragma once
#define RCLCPP_VERSION_MAJOR 30
#define RCLCPP_VERSION_GTE(a,b,c) 1
