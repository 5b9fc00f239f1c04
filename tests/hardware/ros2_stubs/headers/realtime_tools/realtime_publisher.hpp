#pragma once
#include <memory>
namespace realtime_tools {
template <class M> class RealtimePublisher { public:
using SharedPtr = std::shared_ptr<RealtimePublisher<M>>;
template <class P> RealtimePublisher(P) {}
};
}
