#pragma once
namespace libstatistics_collector::moving_average_statistics {
struct StatisticData { double average=0, min=0, max=0, standard_deviation=0;
unsigned sample_count=0;
};
}
