#pragma once
#include "rclcpp/rclcpp.hpp"
#include <cstdint>
namespace lifecycle_msgs::msg {
struct State { static constexpr uint8_t PRIMARY_STATE_UNKNOWN=0, PRIMARY_STATE_UNCONFIGURED=1, PRIMARY_STATE_INACTIVE=2, PRIMARY_STATE_ACTIVE=3, PRIMARY_STATE_FINALIZED=4;
};
}
