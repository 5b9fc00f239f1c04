#pragma once
#include <cstdint>
#include <memory>
struct rcl_time { };
enum rcl_clock_type_t { RCL_ROS_TIME, RCL_STEADY_TIME };
namespace rclcpp {
class Duration;
class Time { public:
Time(int64_t = 0, uint32_t = 0, rcl_clock_type_t = RCL_ROS_TIME) {}
double seconds() const { return 0;
} int64_t nanoseconds() const { return 0;
} rcl_clock_type_t get_clock_type() const { return RCL_ROS_TIME;
} };
class Clock { public:
using SharedPtr = std::shared_ptr<Clock>;
Clock(rcl_clock_type_t = RCL_ROS_TIME) {}
Time now() const { return {};
} };
}
