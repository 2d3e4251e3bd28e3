// The lists are made of the lines of variants.def at compile time. A stage without a variant, or
// a line whose stage does not exist, does not compile. A test gives another list (planted/).
#include "variants/registry.h"

#ifndef HOTLAP_VARIANT_LIST
#define HOTLAP_VARIANT_LIST "variants/variants.def"
#endif

namespace hotlap::variants {

#define HOTLAP_VARIANT(stage, name) extern const server::contract::stage stage##_##name;
#define HOTLAP_VARIANT_INDIRECT(stage, name) HOTLAP_VARIANT(stage, name)
#ifdef HOTLAP_WITHOUT_ABSEIL
#define HOTLAP_VARIANT_ABSEIL(stage, name)
#else
#define HOTLAP_VARIANT_ABSEIL(stage, name) HOTLAP_VARIANT(stage, name)
#endif
#include HOTLAP_VARIANT_LIST
#undef HOTLAP_VARIANT

namespace {

struct Listed {
  server::StageId stage;
  const void* table;  // of the stage's contract type
  const server::VariantInfo* info;
};

constexpr Listed kListed[] = {
#define HOTLAP_VARIANT(stage, name) {server::StageId::stage, &stage##_##name, &stage##_##name.info},
#include HOTLAP_VARIANT_LIST
#undef HOTLAP_VARIANT
#undef HOTLAP_VARIANT_INDIRECT
#undef HOTLAP_VARIANT_ABSEIL
};

constexpr std::size_t count_of(server::StageId stage) {
  std::size_t count = 0;
  for (const Listed& listed : kListed) count += listed.stage == stage ? 1 : 0;
  return count;
}

template <class Stage, server::StageId id>
struct Tables {
  const Stage* tables[count_of(id)];
  Tables() : tables{} {
    std::size_t at = 0;
    for (const Listed& listed : kListed) {
      if (listed.stage == id) tables[at++] = static_cast<const Stage*>(listed.table);
    }
  }
};

template <server::StageId id>
struct Infos {
  const server::VariantInfo* infos[count_of(id)];
  Infos() : infos{} {
    std::size_t at = 0;
    for (const Listed& listed : kListed) {
      if (listed.stage == id) infos[at++] = listed.info;
    }
  }
};

}  // namespace

#define HOTLAP_DEFINE_LIST(stage, type)                              \
  template <>                                                        \
  std::span<const server::type* const> variants_of<server::type>() { \
    static const Tables<server::type, server::StageId::stage> list;  \
    return list.tables;                                              \
  }
HOTLAP_STAGES(HOTLAP_DEFINE_LIST)
#undef HOTLAP_DEFINE_LIST

std::span<const server::VariantInfo* const> infos_of(server::StageId stage) {
  switch (stage) {
#define HOTLAP_INFO_CASE(name, type)                \
  case server::StageId::name: {                     \
    static const Infos<server::StageId::name> list; \
    return list.infos;                              \
  }
    HOTLAP_STAGES(HOTLAP_INFO_CASE)
#undef HOTLAP_INFO_CASE
  }
  return {};
}

}  // namespace hotlap::variants
