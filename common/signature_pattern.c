#include "common/signature_pattern.h"

#include "common/operation.h"

/* A symbol and how often it may stand. */
struct token {
    char symbol;
    uint32_t least;
    uint32_t most;
};

static const char *skip_spaces(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

/* "{12}" after a symbol. */
static const char *read_count(const char *at, uint32_t *count)
{
    *count = 0;
    for (at++; *at >= '0' && *at <= '9'; at++)
        *count = *count * 10 + (uint32_t)(*at - '0');
    return *at == '}' ? at + 1 : at;
}

/* Reads one token; symbol is 0 at the end of the text. */
static const char *read_token(const char *at, struct token *token)
{
    at = skip_spaces(at);
    *token = (struct token){*at, 1, 1};
    if (!*at)
        return at;
    switch (*++at) {
    case '{':
        at = read_count(at, &token->least);
        token->most = token->least;
        return at;
    case '?':
        token->least = 0;
        return at + 1;
    case '*':
        token->least = 0;
        token->most = HY_OP_MANY;
        return at + 1;
    case '+':
        token->most = HY_OP_MANY;
        return at + 1;
    default:
        return at;
    }
}

bool hy_pattern_init(struct hy_pattern *pattern, const char *text, uint32_t count)
{
    struct token token;
    uint32_t least = 0, room = 0;

    for (const char *at = read_token(text, &token); token.symbol; at = read_token(at, &token)) {
        least += token.least;
        if (token.most > token.least)
            room = token.most - token.least;
    }
    if (count < least || count - least > room)
        return false;
    *pattern = (struct hy_pattern){.at = text, .surplus = count - least};
    return true;
}

char hy_pattern_next(struct hy_pattern *pattern)
{
    while (pattern->repeats == 0) {
        struct token token;

        pattern->at = read_token(pattern->at, &token);
        if (!token.symbol)
            return 0;
        pattern->symbol = token.symbol;
        pattern->repeats = token.least;
        if (token.most > token.least)
            pattern->repeats += pattern->surplus;
    }
    pattern->repeats--;
    return pattern->symbol;
}
