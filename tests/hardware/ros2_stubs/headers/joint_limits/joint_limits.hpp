#pragma once
#include <string>
namespace joint_limits {
struct JointLimits { double min_position=0;
std::string to_string() const { return {};
} };
struct SoftJointLimits {};
}
