#pragma once
#include <type_traits>
#include <cxxabi.h>
#include "rclcpp/rclcpp.hpp"
namespace rcpputils {
template <class T> struct is_pointer : std::is_pointer<T> {};
template <class T> struct remove_pointer : std::remove_pointer<T> {};
}
