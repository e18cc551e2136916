#include "tools/check_driver/board.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define FINDINGS_PER_RULE 3u

static size_t board_size(uint32_t model_count)
{
    return sizeof(struct hy_board) + model_count;
}

enum hy_code hy_board_create(uint32_t model_count, struct hy_board **out, struct hy_error *err)
{
    struct hy_board *board = mmap(NULL, board_size(model_count), PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        return hy_fail(err, HY_OUT_OF_MEMORY, "memory for %u models: %s", model_count,
                       strerror(errno));
    board->model_count = model_count;
    *out = board;
    return HY_OK;
}

void hy_board_destroy(struct hy_board *board)
{
    if (board)
        munmap(board, board_size(board->model_count));
}

void hy_board_clear(struct hy_board *board)
{
    atomic_store(&board->is_finished, 0);
    atomic_store(&board->passed, 0);
    board->finding_count = 0;
    board->skip_count = 0;
    board->doing[0] = '\0';
}

void hy_board_step(struct hy_board *board, enum hy_rule rule, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(board->doing, sizeof board->doing, format, words);
    va_end(words);
    atomic_store(&board->rule, rule);
    atomic_fetch_add(&board->beat, 1);
}

static uint32_t count_of(const struct hy_board *board, enum hy_rule rule)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < board->finding_count && i < HY_FINDINGS_MAX; i++)
        count += board->findings[i].rule == rule;
    return count;
}

bool hy_board_has(const struct hy_board *board, enum hy_rule rule)
{
    return count_of(board, rule) > 0;
}

void hy_board_find(struct hy_board *board, enum hy_rule rule, const char *format, ...)
{
    if (board->finding_count >= HY_FINDINGS_MAX || count_of(board, rule) >= FINDINGS_PER_RULE)
        return;
    struct hy_finding *finding = &board->findings[board->finding_count];
    va_list words;
    va_start(words, format);
    vsnprintf(finding->text, sizeof finding->text, format, words);
    va_end(words);
    finding->rule = rule;
    board->finding_count++;
}

void hy_board_pass(struct hy_board *board, enum hy_rule rule)
{
    atomic_fetch_or(&board->passed, UINT64_C(1) << rule);
}

void hy_board_skip(struct hy_board *board, enum hy_rule rule, const char *format, ...)
{
    if (board->skip_count >= HY_FINDINGS_MAX)
        return;
    struct hy_finding *skip = &board->skips[board->skip_count++];
    va_list words;
    va_start(words, format);
    vsnprintf(skip->text, sizeof skip->text, format, words);
    va_end(words);
    skip->rule = rule;
}
