/*
 * Hostile clients of shared services:
 *
 *     attack_client frames|tokens|entries [ROUNDS | --seconds N | --seed N]
 */
#include "attack_client.h"
#include "campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_EVERY = 32 };

static unsigned long number;
static void (*attack)(struct hy_random *chance);

void attack_begin(struct raw_client *client, enum live_driver driver, bool is_attacker)
{
    const struct hy_opening *opening = live_opening(driver);

    live_be_attacker(is_attacker);
    if (!raw_begin(client, live_socket(driver), opening->library, opening->arguments))
        live_fail("a client is not let in: %s", client->error_text);
    live_be_attacker(false);
}

static void expect_rest(void)
{
    for (int i = 0; i < LIVE_DRIVERS; i++)
        live_expect_rest((enum live_driver)i);
}

/* The first round opens what stays open. */
static void run_round(struct hy_random *chance)
{
    attack(chance);
    if (++number == 1) {
        for (int i = 0; i < LIVE_DRIVERS; i++)
            live_note_rest((enum live_driver)i);
    } else if (number % CHECK_EVERY == 0) {
        expect_rest();
    }
}

static const struct way {
    const char *name;
    struct campaign campaign;
    void (*attack)(struct hy_random *chance);
    void (*report)(void);
} ways[] = {
    {"frames", {48, run_round}, attack_frames, attack_frames_report},
    {"tokens", {24, run_round}, attack_tokens, attack_tokens_report},
    {"entries", {24, run_round}, attack_entries, attack_entries_report},
};

static const struct way *find_way(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct way *way = argc > 1 ? find_way(argv[1]) : NULL;

    if (!way) {
        fputs("usage: attack_client frames|tokens|entries [ROUNDS | --seconds N | --seed N]\n",
              stderr);
        return 2;
    }
    for (int i = 0; i < LIVE_DRIVERS; i++)
        live_start((enum live_driver)i);
    attack = way->attack;
    const unsigned long rounds = campaign_run(&way->campaign, argc - 2, argv + 2);
    expect_rest();
    printf("%lu rounds: ", rounds);
    way->report();
    return 0;
}
