#pragma once
#include <cxxabi.h>
#include "rclcpp/executor.hpp"
#include <memory>
#include <string>
#include <vector>
#include <map>
#include <functional>
#include "rclcpp/duration.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/time.hpp"
namespace rclcpp {
class NodeOptions {};
class QoS { public:
QoS(int) {}
};
class SystemDefaultsQoS : public QoS { public:
SystemDefaultsQoS() : QoS(1) {}
};
template <class M> class Publisher { public:
using SharedPtr = std::shared_ptr<Publisher<M>>;
void publish(const M&) {}
};
class TimerBase { public:
using SharedPtr = std::shared_ptr<TimerBase>;
};
class Node { public:
using SharedPtr = std::shared_ptr<Node>;
Node(const std::string&, const std::string& = "", const NodeOptions& = {}) {}
Logger get_logger() const { return {};
} Clock::SharedPtr get_clock() const { return nullptr;
} template <class M> std::shared_ptr<Publisher<M>> create_publisher(const std::string&, const QoS&) { return nullptr;
} };
}
