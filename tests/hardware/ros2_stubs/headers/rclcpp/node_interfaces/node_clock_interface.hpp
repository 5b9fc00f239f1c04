#pragma once
#include "rclcpp/time.hpp"
namespace rclcpp::node_interfaces {
class NodeClockInterface { public:
using SharedPtr = std::shared_ptr<NodeClockInterface>;
Clock::SharedPtr get_clock() { return nullptr;
} };
}
