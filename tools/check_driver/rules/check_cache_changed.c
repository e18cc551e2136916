/* Changed cache files: B31. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/check_driver/cache_entry.h"

#define GARBAGE     "these bytes are no cache of anybody"
#define FLIPS_MAX   160 /* per file, spread over it */
#define LENGTHS_MAX 24

/* An entry to change, and its sample. */
struct subject {
    struct hy_check *check;
    struct hy_sample *sample;
    const struct hy_cache_entry *entry;
};

/* Changed files must give an error or a correct model; a wrong result is a finding. */
static void try_changed(const struct subject *subject, const struct hy_cache_entry *changed)
{
    hy_cache_entry_try(subject->check, HY_RULE_B31, subject->sample, changed);
}

#define STEP(subject, ...) \
    hy_result_page_step((subject)->check->page, HY_RULE_B31, "%s, " __VA_ARGS__)

static const char *name_of(const struct subject *subject)
{
    return subject->sample->vector->name;
}

static void try_cut(const struct subject *subject, uint32_t index, int64_t length)
{
    struct hy_cache_entry copy;
    STEP(subject, "prepared from cache files, file %u cut to %lld bytes", name_of(subject), index,
         (long long)length);
    if (hy_cache_entry_copy(subject->check, subject->entry, &copy) &&
        ftruncate(hy_cache_entry_file(&copy, index), length) == 0)
        try_changed(subject, &copy);
    hy_cache_entry_close(&copy);
}

static void try_flipped(const struct subject *subject, uint32_t index, int64_t bit)
{
    struct hy_cache_entry copy;
    uint8_t byte;
    STEP(subject, "prepared from cache files, file %u with bit %lld flipped", name_of(subject),
         index, (long long)bit);
    if (hy_cache_entry_copy(subject->check, subject->entry, &copy)) {
        const int32_t fd = hy_cache_entry_file(&copy, index);
        bool done = pread(fd, &byte, 1, bit / 8) == 1;
        byte ^= (uint8_t)(1u << bit % 8);
        done = done && pwrite(fd, &byte, 1, bit / 8) == 1;
        if (done)
            try_changed(subject, &copy);
    }
    hy_cache_entry_close(&copy);
}

static void try_file(const struct subject *subject, uint32_t index)
{
    const int64_t length = hy_cache_entry_length(subject->entry, index);
    const int64_t bits = length * 8;
    for (int64_t i = 0; i < LENGTHS_MAX && i < length; i++) {
        try_cut(subject, index, i);              /* the first bytes: headers end here */
        try_cut(subject, index, length - 1 - i); /* and the last ones */
    }
    try_cut(subject, index, length / 2);
    try_cut(subject, index, length + 1);
    const int64_t flips = bits < FLIPS_MAX ? bits : FLIPS_MAX;
    for (int64_t i = 0; i < flips; i++)
        try_flipped(subject, index, (bits - 1) * i / flips);
}

/* Exchanges two files. */
static void try_swapped(const struct subject *subject, uint32_t first, uint32_t second)
{
    struct hy_cache_entry copy;
    STEP(subject, "prepared from cache files, files %u and %u swapped", name_of(subject), first,
         second);
    if (hy_cache_entry_copy(subject->check, subject->entry, &copy)) {
        int32_t *a =
            first < copy.model_count ? &copy.model[first] : &copy.data[first - copy.model_count];
        int32_t *b =
            second < copy.model_count ? &copy.model[second] : &copy.data[second - copy.model_count];
        const int32_t saved = *a;
        *a = *b;
        *b = saved;
        try_changed(subject, &copy);
    }
    hy_cache_entry_close(&copy);
}

static void try_garbage(const struct subject *subject)
{
    struct hy_cache_entry copy;
    bool done = hy_cache_entry_make(subject->check, subject->entry->token[0], &copy);
    STEP(subject, "prepared from empty cache files", name_of(subject));
    if (done)
        try_changed(subject, &copy);
    for (uint32_t i = 0; done && i < hy_cache_entry_count(&copy); i++)
        done = pwrite(hy_cache_entry_file(&copy, i), GARBAGE, sizeof GARBAGE, 0) == sizeof GARBAGE;
    STEP(subject, "prepared from cache files of other bytes", name_of(subject));
    if (done)
        try_changed(subject, &copy);
    hy_cache_entry_close(&copy);
}

/* Intact files of another model, all or of one kind, under the token of this model. */
static void try_foreign(const struct subject *subject, const struct hy_cache_entry *other)
{
    struct hy_cache_entry foreign;
    STEP(subject, "prepared from the cache files of another model", name_of(subject));
    if (hy_cache_entry_copy(subject->check, other, &foreign)) {
        memcpy(foreign.token, subject->entry->token, sizeof foreign.token);
        try_changed(subject, &foreign);
        struct hy_cache_entry mixed = *subject->entry;
        memcpy(mixed.data, foreign.data, sizeof mixed.data);
        STEP(subject, "prepared with the data cache of another model", name_of(subject));
        if (mixed.data_count > 0)
            try_changed(subject, &mixed);
    }
    hy_cache_entry_close(&foreign);
}

static void check_entry(const struct subject *subject)
{
    const uint32_t count = hy_cache_entry_count(subject->entry);
    for (uint32_t i = 0; i < count; i++)
        try_file(subject, i);
    for (uint32_t i = 1; i < count; i++)
        try_swapped(subject, 0, i);
    try_garbage(subject);
}

/* Another supported model, searched from the last one on. */
static const struct hy_vector *another(const struct hy_check *check, const struct hy_vector *vector,
                                       uint32_t start)
{
    for (uint32_t i = 0; i < check->models->count; i++) {
        const uint32_t index = (start + i) % check->models->count;
        const struct hy_vector *other = check->models->vectors[index];
        if (check->page->is_claimed[index] && other != vector && other->multinomial_tolerance == 0)
            return other;
    }
    return NULL;
}

static void check_foreign(const struct subject *subject, uint8_t number)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct hy_check *check = subject->check;
    const struct hy_vector *vector = another(check, subject->sample->vector, number);
    struct hy_sample sample;
    struct hy_cache_entry entry;
    if (!vector)
        return;
    if (hy_sample_make(check, HY_RULE_B31, vector, &form, &sample)) {
        if (hy_cache_entry_make(check, (uint8_t)(number + 100), &entry) &&
            hy_cache_entry_fill(check, HY_RULE_B31, &sample, &entry))
            try_foreign(subject, &entry);
        hy_cache_entry_close(&entry);
    }
    hy_sample_finish(check, &sample);
}

static void check_sample(struct hy_check *check, const struct hy_vector *vector, uint8_t number)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct hy_sample sample;
    struct hy_cache_entry entry;
    const struct subject subject = {check, &sample, &entry};
    if (hy_sample_make(check, HY_RULE_B31, vector, &form, &sample)) {
        if (hy_cache_entry_make(check, number, &entry) &&
            hy_cache_entry_fill(check, HY_RULE_B31, &sample, &entry)) {
            check_entry(&subject);
            check_foreign(&subject, number);
        }
        hy_cache_entry_close(&entry);
    }
    hy_sample_finish(check, &sample);
}

void hy_check_cache_changed(struct hy_check *check)
{
    const struct hy_vector *vector;
    if (!hy_cache_is_supported(check, HY_RULE_B31, true))
        return;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));)
        check_sample(check, vector, (uint8_t)next);
    hy_result_page_pass(check->page, HY_RULE_B31);
}
