/* The table of the fake support library, and what else it exports. */
#include "fake_sl.h"

#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static const NnApiSLDriverImplFL8 whole = {
#define LEVEL_5(member, function) .base.member = fake_##function,
#define LEVEL_8(member, function) .member = fake_##function,
#include "fake_support_library_members.def"
#undef LEVEL_5
#undef LEVEL_8
};

static const struct {
    const char *name;
    size_t offset;
} members[] = {
#define LEVEL_5(member, function) {#member, offsetof(NnApiSLDriverImplFL8, base.member)},
#define LEVEL_8(member, function) {#member, offsetof(NnApiSLDriverImplFL8, member)},
#include "fake_support_library_members.def"
};

static void set_member(NnApiSLDriverImplFL8 *table, const char *name, void (*function)(void))
{
    for (size_t i = 0; name && i < sizeof members / sizeof *members; i++) {
        if (strcmp(members[i].name, name) == 0)
            memcpy((char *)table + members[i].offset, &function, sizeof function);
    }
}

EXPORTED struct fake_support_library *fake_support_library(void);
EXPORTED int halyard_disable_drivers(void);

EXPORTED struct fake_support_library *fake_support_library(void)
{
    return &fake_state;
}

EXPORTED int halyard_disable_drivers(void)
{
    fake_state.drivers_disabled++;
    return 0;
}

EXPORTED NnApiSLDriverImpl *ANeuralNetworks_getSLDriverImpl(void)
{
    static NnApiSLDriverImplFL8 table;

    if (fake_state.without_table)
        return NULL;
    table = whole;
    table.base.base.implFeatureLevel =
        fake_state.level ? fake_state.level : ANEURALNETWORKS_FEATURE_LEVEL_8;
    set_member(&table, fake_state.missing, NULL);
    set_member(&table, fake_state.foreign, fake_state.foreign_function);
    return &table.base.base;
}
