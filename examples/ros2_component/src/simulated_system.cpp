// A hardware component for ros2_control: the robot is simulated by `gearwright serve ROBOT --protocol ros2_control`.
//
//   <hardware>
//     <plugin>gearwright_component/SimulatedSystem</plugin>
//     <param name="host">127.0.0.1</param> <param name="port">29540</param> <param name="timeout">5.0</param>
//   </hardware>
//
// With `--clock lockstep` each cycle of the controller manager advances the simulation by its period, however long the
// cycle took; with the default clock the simulation keeps the time itself. Written for ROS 2 Jazzy and later.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "gearwright_component/json_lines.hpp"
#include "hardware_interface/system_interface.hpp"
#include "hardware_interface/types/hardware_interface_return_values.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/rclcpp.hpp"

namespace gearwright_component {

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

class SimulatedSystem : public hardware_interface::SystemInterface {
 public:
  CallbackReturn on_configure(const rclcpp_lifecycle::State&) override {
    const auto& given = info_.hardware_parameters;
    const auto parameter = [&given](const std::string& name, const std::string& otherwise) {
      const auto found = given.find(name);
      return found == given.end() ? otherwise : found->second;
    };
    lockstep_ = parameter("lockstep", "true") == "true";
    try {
      const double timeout = std::strtod(parameter("timeout", "5.0").c_str(), nullptr);
      dt_ = lines_.open(parameter("host", "127.0.0.1"), parameter("port", "29540"), timeout);
    } catch (const std::exception& error) {
      RCLCPP_ERROR(get_logger(), "%s", error.what());
      return CallbackReturn::ERROR;
    }
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_activate(const rclcpp_lifecycle::State&) override {
    forget(command_names());
    return CallbackReturn::SUCCESS;
  }

  /// Nobody commands the robot any more: its joints follow nothing.
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State&) override {
    const bool done = switched({}, command_names());
    forget(command_names());
    return done ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
  }

  /// A controller that starts finds no command of the one before it, and none of a controller that stops is repeated.
  return_type perform_command_mode_switch(const std::vector<std::string>& start,
                                          const std::vector<std::string>& stop) override {
    std::vector<std::string> starting, stopping;
    for (const auto& name : command_names()) {
      if (std::find(start.begin(), start.end(), name) != start.end()) starting.push_back(name);
      if (std::find(stop.begin(), stop.end(), name) != stop.end()) stopping.push_back(name);
    }
    if (starting.empty() && stopping.empty()) return return_type::OK;  // of other hardware
    forget(stopping);
    forget(starting);
    return switched(starting, stopping) ? return_type::OK : return_type::ERROR;
  }

  CallbackReturn on_cleanup(const rclcpp_lifecycle::State&) override {
    lines_.close();
    return CallbackReturn::SUCCESS;
  }

  return_type read(const rclcpp::Time&, const rclcpp::Duration& period) override {
    const long steps = std::max(1L, std::lround(period.seconds() / dt_));
    const std::string step = lockstep_ ? "\"step\": " + std::to_string(steps) + ", " : "";
    try {
      const Values states = numbers(lines_.ask("{" + step + "\"read\": {}}"), "state");
      for (const auto* own : {&joint_state_interfaces_, &sensor_state_interfaces_, &gpio_state_interfaces_})
        for (const auto& [name, description] : *own)
          if (const auto found = states.find(name); found != states.end()) set_state(name, found->second);
    } catch (const std::exception& error) {
      RCLCPP_ERROR(get_logger(), "%s", error.what());
      return return_type::ERROR;
    }
    return return_type::OK;
  }

  return_type write(const rclcpp::Time&, const rclcpp::Duration&) override {
    Values commands;  // those that were never written, or forgotten, are NaN, which is not sent
    for (const auto& name : command_names()) commands[name] = get_command(name);
    try {
      lines_.write(commands);
    } catch (const std::exception& error) {
      RCLCPP_ERROR(get_logger(), "%s", error.what());
      return return_type::ERROR;
    }
    return return_type::OK;
  }

 private:
  std::vector<std::string> command_names() const {
    std::vector<std::string> names;
    for (const auto* own : {&joint_command_interfaces_, &gpio_command_interfaces_})
      for (const auto& [name, description] : *own) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
  }

  void forget(const std::vector<std::string>& names) {
    for (const auto& name : names) set_command(name, std::numeric_limits<double>::quiet_NaN());
  }

  bool switched(const std::vector<std::string>& start, const std::vector<std::string>& stop) {
    try {
      lines_.switch_interfaces(start, stop);
    } catch (const std::exception& error) {
      RCLCPP_ERROR(get_logger(), "%s", error.what());
      return false;
    }
    return true;
  }

  JsonLines lines_;
  double dt_ = 0.001;  // [s]
  bool lockstep_ = true;
};

}  // namespace gearwright_component

PLUGINLIB_EXPORT_CLASS(gearwright_component::SimulatedSystem, hardware_interface::SystemInterface)
