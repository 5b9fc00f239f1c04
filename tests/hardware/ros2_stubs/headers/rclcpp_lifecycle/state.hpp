#pragma once
#include <cstdint>
#include <string>
namespace rclcpp_lifecycle {
class State { public:
State(uint8_t = 0, const std::string& = "") {}
uint8_t id() const { return 0;
} std::string label() const { return "";
} };
}
