#pragma once
#include <memory>
namespace rclcpp {
class Executor { public:
using SharedPtr = std::shared_ptr<Executor>;
using WeakPtr = std::weak_ptr<Executor>;
};
}
