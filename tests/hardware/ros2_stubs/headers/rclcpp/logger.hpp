#pragma once
#include <cxxabi.h>
#include <string>
namespace rclcpp {
class Logger { public:
Logger get_child(const std::string&) const { return {};
} const char* get_name() const { return "";
} };
inline Logger get_logger(const std::string&) { return {};
} }
