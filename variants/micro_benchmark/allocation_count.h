// How often this thread has asked for memory: malloc and its relatives are replaced in this program
// alone, and `operator new` ends there too. Costs an addition an allocation.
#pragma once

#include <cstdint>

namespace hotlap::variants {

std::uint64_t allocations_of_this_thread();

}  // namespace hotlap::variants
