#pragma once
namespace realtime_tools { template <class T> class AsyncFunctionHandler {}; }
