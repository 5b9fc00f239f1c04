// Without ROS: drives one joint to a position in lockstep, 100 cycles a second.
//   g++ -std=c++17 -Iinclude try_it.cpp -o try_it && ./try_it 127.0.0.1 29540 pitch/position 0.2
#include <cstdio>
#include <cstdlib>

#include "gearwright_component/json_lines.hpp"

int main(int count, char** words) {
  if (count != 5) return 2;
  gearwright_component::JsonLines lines;
  try {
    const double dt = lines.open(words[1], words[2]);
    const std::string steps = std::to_string(std::lround(0.01 / dt));
    gearwright_component::Values state;
    for (int cycle = 0; cycle < 200; ++cycle) {
      lines.write({{words[3], std::strtod(words[4], nullptr)}});
      state = gearwright_component::numbers(lines.ask("{\"step\": " + steps + ", \"read\": {}}"), "state");
    }
    for (const auto& [name, value] : state) std::printf("%s %.6f\n", name.c_str(), value);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
