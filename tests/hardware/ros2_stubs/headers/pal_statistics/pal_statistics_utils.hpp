#pragma once
#include <memory>
#include <functional>
#include <string>
namespace pal_statistics {
struct IdType {};
class RegistrationsRAII {};
class StatisticsRegistry {
 public:
  template <class... T> IdType registerVariable(T&&...) { return {}; }
  template <class... T> IdType registerFunction(T&&...) { return {}; }
};
template <class T>
IdType customRegister(StatisticsRegistry&, const std::string&, const T*, RegistrationsRAII*, bool) { return {};
}
}
