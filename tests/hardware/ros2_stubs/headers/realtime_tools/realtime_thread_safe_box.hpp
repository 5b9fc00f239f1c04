#pragma once
#include <functional>
#include <optional>
namespace realtime_tools {
template <class T, class M = int> class RealtimeThreadSafeBox { public:
RealtimeThreadSafeBox(const T& = {}) {}
void set(const T&) {}
bool try_set(const T&) { return true;
} T get() const { return {};
} std::optional<T> try_get() const { return {};
} void get(const std::function<void(const T&)>&) const {}
};
}
