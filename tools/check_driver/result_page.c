#include "tools/check_driver/result_page.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define FINDINGS_PER_RULE 3u

static size_t result_page_size(uint32_t model_count)
{
    return sizeof(struct hy_result_page) + model_count;
}

enum hy_code hy_result_page_create(uint32_t model_count, struct hy_result_page **out,
                                   struct hy_error *err)
{
    struct hy_result_page *page = mmap(NULL, result_page_size(model_count), PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return hy_fail(err, HY_OUT_OF_MEMORY, "memory for %u models: %s", model_count,
                       strerror(errno));
    page->model_count = model_count;
    *out = page;
    return HY_OK;
}

void hy_result_page_destroy(struct hy_result_page *page)
{
    if (page)
        munmap(page, result_page_size(page->model_count));
}

void hy_result_page_clear(struct hy_result_page *page)
{
    atomic_store(&page->is_finished, 0);
    atomic_store(&page->passed, 0);
    page->finding_count = 0;
    page->skip_count = 0;
    page->doing[0] = '\0';
}

void hy_result_page_step(struct hy_result_page *page, enum hy_rule rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(page->doing, sizeof page->doing, format, arguments);
    va_end(arguments);
    atomic_store(&page->rule, rule);
    atomic_fetch_add(&page->beat, 1);
}

static uint32_t count_of(const struct hy_result_page *page, enum hy_rule rule)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->finding_count && i < HY_FINDINGS_MAX; i++)
        count += page->findings[i].rule == rule;
    return count;
}

bool hy_result_page_has_finding(const struct hy_result_page *page, enum hy_rule rule)
{
    return count_of(page, rule) > 0;
}

void hy_result_page_report(struct hy_result_page *page, enum hy_rule rule, const char *format, ...)
{
    if (page->finding_count >= HY_FINDINGS_MAX || count_of(page, rule) >= FINDINGS_PER_RULE)
        return;
    struct hy_finding *finding = &page->findings[page->finding_count];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
    finding->rule = rule;
    page->finding_count++;
}

void hy_result_page_pass(struct hy_result_page *page, enum hy_rule rule)
{
    atomic_fetch_or(&page->passed, UINT64_C(1) << rule);
}

void hy_result_page_skip(struct hy_result_page *page, enum hy_rule rule, const char *format, ...)
{
    if (page->skip_count >= HY_FINDINGS_MAX)
        return;
    struct hy_finding *skip = &page->skips[page->skip_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(skip->text, sizeof skip->text, format, arguments);
    va_end(arguments);
    skip->rule = rule;
}
