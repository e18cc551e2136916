/*
 * An app that is given what is no memory, no socket, no fence and no folder, and one whose queues
 * are rewritten while it uses them:
 *
 *     attack_app descriptors|queues [ROUNDS | --seconds N | --seed N]
 *
 * Its devices are one in the app and one in a process of its own. Whatever is handed in, a call
 * fails or its result is right; the app and the process live, and nothing stays open.
 */
#include "app_usual.h"
#include "campaign.h"

#include <string.h>

int main(int argc, char **argv)
{
    static const struct campaign descriptors = {300, attack_app_descriptors};
    static const struct campaign queues = {60, attack_app_queues};
    const bool is_queues = argc > 1 && strcmp(argv[1], "queues") == 0;

    if (!is_queues && (argc < 2 || strcmp(argv[1], "descriptors") != 0)) {
        fputs("usage: attack_app descriptors|queues [ROUNDS | --seconds N | --seed N]\n", stderr);
        return 2;
    }
    app_begin();
    const unsigned long rounds =
        campaign_run(is_queues ? &queues : &descriptors, argc - 2, argv + 2);
    printf("%lu rounds: ", rounds);
    if (is_queues)
        attack_app_queues_report();
    else
        attack_app_descriptors_report();
    app_end();
    return 0;
}
