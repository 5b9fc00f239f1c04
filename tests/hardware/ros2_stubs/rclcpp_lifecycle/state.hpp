#pragma once
namespace rclcpp_lifecycle {
class State {};
}  // namespace rclcpp_lifecycle
