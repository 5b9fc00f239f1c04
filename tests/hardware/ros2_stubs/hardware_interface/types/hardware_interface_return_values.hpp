#pragma once
namespace hardware_interface {
enum class return_type { OK, ERROR };
enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
}  // namespace hardware_interface
