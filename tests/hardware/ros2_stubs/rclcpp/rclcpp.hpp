// What a hardware component uses of rclcpp, for a test without ROS.
#pragma once
#include <cstdio>
namespace rclcpp {
class Time {};
class Duration {
 public:
  explicit Duration(double seconds) : seconds_(seconds) {}
  double seconds() const { return seconds_; }

 private:
  double seconds_;
};
class Logger {};
}  // namespace rclcpp
#define RCLCPP_ERROR(logger, ...) ((void)(logger), std::fprintf(stderr, __VA_ARGS__), std::fputc('\n', stderr))
