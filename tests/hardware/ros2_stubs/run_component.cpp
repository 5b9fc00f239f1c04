// Runs the component as a controller manager does: a position controller, then a velocity controller, then none.
#include "simulated_system.cpp"

int main(int count, char** words) {
  using hardware_interface::return_type;
  if (count != 3) return 2;
  gearwright_component::SimulatedSystem system;
  system.info_.hardware_parameters = {{"host", words[1]}, {"port", words[2]}, {"timeout", "2.0"}};
  for (const char* joint : {"shoulder", "elbow"})
    for (const char* kind : {"/position", "/velocity", "/effort"}) {
      system.joint_command_interfaces_[std::string(joint) + kind] = {};
      system.joint_state_interfaces_[std::string(joint) + kind] = {};
    }
  const rclcpp_lifecycle::State state;
  const rclcpp::Duration period(0.01);
  bool good = system.on_configure(state) == hardware_interface::CallbackReturn::SUCCESS &&
              system.on_activate(state) == hardware_interface::CallbackReturn::SUCCESS;
  const auto cycles = [&](int n) {
    for (int k = 0; k < n && good; ++k)
      good = system.read({}, period) == return_type::OK && system.write({}, period) == return_type::OK;
  };
  const auto tell = [&](const char* when) {
    std::printf("%s %.4f %.4f %.4f\n", when, system.states["shoulder/position"], system.states["shoulder/velocity"],
                system.states["elbow/position"]);
  };
  const std::vector<std::string> positions{"shoulder/position", "elbow/position"};
  const std::vector<std::string> velocities{"shoulder/velocity", "elbow/velocity"};
  good = good && system.perform_command_mode_switch(positions, {}) == return_type::OK;
  for (const auto& name : positions) system.set_command(name, 0.4);
  cycles(150);
  tell("position");
  good = good && system.perform_command_mode_switch(velocities, positions) == return_type::OK;
  cycles(50);  // the new controller has written nothing yet
  tell("switched");
  for (const auto& name : velocities) system.set_command(name, 0.2);
  cycles(50);
  tell("velocity");
  good = good && system.on_deactivate(state) == hardware_interface::CallbackReturn::SUCCESS;
  cycles(50);
  tell("released");
  return good ? 0 : 1;
}
