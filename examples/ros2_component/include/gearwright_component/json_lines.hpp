// JSON Lines to `gearwright serve ROBOT --protocol ros2_control`: a line asked, a line answered. Plain C++17, no libraries.
#pragma once

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <locale>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace gearwright_component {

using Values = std::map<std::string, double>;  // by interface, "joint/position"; NaN is null

/// The object of numbers under a key of a line: {"state": {"a/position": 0.3, "io/in": null}, …}.
inline Values numbers(const std::string& line, const std::string& key) {
  Values found;
  const std::size_t at = line.find("\"" + key + "\":");
  if (at == std::string::npos) return found;
  std::size_t i = line.find('{', at);
  while (i != std::string::npos && i < line.size() && line[i] != '}') {
    const std::size_t open = line.find('"', i), close = line.find('"', open + 1);
    const std::size_t end = line.find('}', i);
    if (open == std::string::npos || close == std::string::npos || end < open) break;
    const std::size_t value = line.find(':', close) + 1;
    i = line.find_first_of(",}", value);
    if (i == std::string::npos) break;
    std::istringstream text(line.substr(value, i - value));
    text.imbue(std::locale::classic());
    double number = std::numeric_limits<double>::quiet_NaN();
    if (!(text >> number)) number = std::numeric_limits<double>::quiet_NaN();
    found[line.substr(open + 1, close - open - 1)] = number;
  }
  return found;
}

/// One connection. Errors of the server and of the connection are thrown.
class JsonLines {
 public:
  JsonLines() = default;
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;
  ~JsonLines() { close(); }

  /// Connects; returns the length of a step [s], from the server's hello. No answer is waited for longer than `timeout`.
  double open(const std::string& host, const std::string& port, double timeout = 5.0) {
    close();
    timeout_ = timeout;
    addrinfo hints{}, *list = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &list) != 0) throw std::runtime_error("no such host: " + host);
    for (addrinfo* a = list; a != nullptr && socket_ < 0; a = a->ai_next) {
      socket_ = ::socket(a->ai_family, a->ai_socktype, a->ai_protocol);
      if (socket_ >= 0) wait_at_most(timeout);
      if (socket_ >= 0 && ::connect(socket_, a->ai_addr, a->ai_addrlen) != 0) close();
    }
    freeaddrinfo(list);
    if (socket_ < 0) throw std::runtime_error("cannot connect to " + host + ":" + port);
    const int yes = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const std::string hello = read_line();
    const std::size_t at = hello.find("\"dt\":");
    if (at == std::string::npos) throw std::runtime_error("not a gearwright server: " + hello);
    return std::strtod(hello.c_str() + at + 5, nullptr);
  }

  /// A request as it is written on the wire, without its end of line; returns the answer.
  std::string ask(const std::string& request) {
    const std::string line = request + "\n";
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t n = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) throw std::runtime_error("the server has gone");
      sent += static_cast<std::size_t>(n);
    }
    const std::string answer = read_line();
    if (answer.rfind("{\"error\"", 0) == 0) throw std::runtime_error(answer);
    return answer;
  }

  /// Commands of all interfaces that have one; what is NaN is left as it is.
  std::string write(const Values& commands) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(17);
    text << "{\"write\": {";
    const char* separator = "";
    for (const auto& [name, value] : commands) {
      if (!std::isfinite(value)) continue;
      text << separator << '"' << name << "\": " << value;
      separator = ", ";
    }
    text << "}}";
    return ask(text.str());
  }

  /// Interfaces that controllers begin and cease to command: joints that nobody commands follow nothing.
  std::string switch_interfaces(const std::vector<std::string>& start, const std::vector<std::string>& stop) {
    return ask("{\"switch\": {\"start\": " + quoted(start) + ", \"stop\": " + quoted(stop) + "}}");
  }

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
    buffer_.clear();
  }

 private:
  static std::string quoted(const std::vector<std::string>& names) {
    std::string text = "[";
    for (const auto& name : names) text += (text.size() > 1 ? ", \"" : "\"") + name + "\"";
    return text + "]";
  }

  std::string read_line() {
    std::size_t end;
    while ((end = buffer_.find('\n')) == std::string::npos) {
      char part[4096];
      const ssize_t n = ::recv(socket_, part, sizeof part, 0);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        close();  // what comes later would be taken for the answer to another request
        throw std::runtime_error("no answer within " + std::to_string(timeout_) + " s");
      }
      if (n <= 0) throw std::runtime_error("the server has gone");
      buffer_.append(part, static_cast<std::size_t>(n));
      if (buffer_.size() > kLongestLine) throw std::runtime_error("an answer that does not end");
    }
    const std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return line;
  }

  void wait_at_most(double seconds) {
    timeval limit{};
    limit.tv_sec = static_cast<time_t>(seconds);
    limit.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }

  static constexpr std::size_t kLongestLine = 1 << 24;  // [bytes]
  int socket_ = -1;
  double timeout_ = 0.0;  // [s]
  std::string buffer_;
};

}  // namespace gearwright_component
