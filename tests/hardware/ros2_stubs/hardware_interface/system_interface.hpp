// The part of hardware_interface::SystemInterface that a component sees, with its commands and states in two maps.
#pragma once
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "hardware_interface/types/hardware_interface_return_values.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/state.hpp"

namespace hardware_interface {
struct InterfaceDescription {};
struct HardwareInfo {
  std::unordered_map<std::string, std::string> hardware_parameters;
};
class SystemInterface {
 public:
  virtual ~SystemInterface() = default;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State&) = 0;
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State&) = 0;
  virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State&) = 0;
  virtual CallbackReturn on_cleanup(const rclcpp_lifecycle::State&) = 0;
  virtual return_type perform_command_mode_switch(const std::vector<std::string>&,
                                                  const std::vector<std::string>&) = 0;
  virtual return_type read(const rclcpp::Time&, const rclcpp::Duration&) = 0;
  virtual return_type write(const rclcpp::Time&, const rclcpp::Duration&) = 0;

  HardwareInfo info_;
  std::unordered_map<std::string, InterfaceDescription> joint_state_interfaces_, sensor_state_interfaces_,
      gpio_state_interfaces_, joint_command_interfaces_, gpio_command_interfaces_;
  std::map<std::string, double> states, commands;
  void set_state(const std::string& name, double value) { states[name] = value; }
  void set_command(const std::string& name, double value) { commands[name] = value; }
  double get_command(const std::string& name) const {
    const auto found = commands.find(name);
    return found == commands.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
  rclcpp::Logger get_logger() const { return {}; }
};
}  // namespace hardware_interface
