#pragma once
#include <memory>
#include "rclcpp/logger.hpp"
namespace rclcpp::node_interfaces {
class NodeLoggingInterface { public:
using SharedPtr = std::shared_ptr<NodeLoggingInterface>;
Logger get_logger() { return {};
} };
}
