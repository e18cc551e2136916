/*
 * queue_round_trip: the cost of a round trip of a burst between two processes, compared with the
 * lower limit: a word to the other process and a word back. All cases run in turns.
 *
 *     queue_round_trip [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "bench/service/queue_add.h"
#include "bench/service/queue_peer.h"

enum { DEFAULT_ROUNDS = 41 };
#define ROUND_TIME 0.01 /* seconds */

enum {
    WORD_PAIR_SPIN,
    WORD_PAIR_SLEEP,
    WORD_PAIR_ONE_CPU,
    BURST_SPIN,
    BURST_SPIN_ADD,
    ADD_ALONE,
    BURST_SLEEP,
    BURST_ONE_CPU,
    SUBJECTS
};

struct race {
    struct queue_add add;
    struct queue_word_peer words[3];
    struct queue_burst_peer bursts[4];
    struct hy_bench_subject subjects[SUBJECTS];
};

static const struct queue_cpus two_cpus = {0, 1}, one_cpu = {0, 0};

static enum hy_code add_words(struct race *race, struct queue_word_peer *peer, int subject,
                              const char *name, struct hy_error *err)
{
    race->subjects[subject] =
        (struct hy_bench_subject){.name = name, .time_runs = queue_word_peer_time, .self = peer};
    return queue_word_peer_start(peer, err);
}

static enum hy_code start_word_pairs(struct race *race, struct hy_error *err)
{
    struct queue_word_peer *peers = race->words;

    peers[0] = (struct queue_word_peer){.cpus = two_cpus, .spins = true};
    peers[1] = (struct queue_word_peer){.cpus = two_cpus};
    peers[2] = (struct queue_word_peer){.cpus = one_cpu};
    enum hy_code code = add_words(race, &peers[0], WORD_PAIR_SPIN, "two words, spinning", err);
    if (code == HY_OK)
        code = add_words(race, &peers[1], WORD_PAIR_SLEEP, "two words, futexes", err);
    if (code == HY_OK)
        code = add_words(race, &peers[2], WORD_PAIR_ONE_CPU, "two words, futexes, one CPU", err);
    return code;
}

static enum hy_code add_burst(struct race *race, struct queue_burst_peer *peer, int subject,
                              const char *name, struct hy_error *err)
{
    if (!peer->execute)
        peer->execute = queue_add_idle;
    peer->context = &race->add;
    peer->pool = race->add.pool;
    peer->request = race->add.request;
    peer->result = race->add.result;
    race->subjects[subject] =
        (struct hy_bench_subject){.name = name, .time_runs = queue_burst_peer_time, .self = peer};
    return queue_burst_peer_start(peer, err);
}

static enum hy_code start_bursts(struct race *race, struct hy_error *err)
{
    struct queue_burst_peer *peers = race->bursts;
    const uint64_t spin = HY_QUEUE_USUAL_SPIN_NS;

    peers[0] = (struct queue_burst_peer){.cpus = two_cpus, .spin_ns = spin};
    peers[1] =
        (struct queue_burst_peer){.cpus = two_cpus, .spin_ns = spin, .execute = queue_add_execute};
    peers[2] = (struct queue_burst_peer){.cpus = two_cpus};
    peers[3] = (struct queue_burst_peer){.cpus = one_cpu, .spin_ns = spin};
    enum hy_code code = add_burst(race, &peers[0], BURST_SPIN, "burst, spinning", err);
    if (code == HY_OK)
        code = add_burst(race, &peers[1], BURST_SPIN_ADD, "burst, spinning, ADD", err);
    if (code == HY_OK)
        code = add_burst(race, &peers[2], BURST_SLEEP, "burst, sleeping", err);
    queue_bind_cpu(one_cpu.parent); /* which both sides are to notice */
    if (code == HY_OK)
        code = add_burst(race, &peers[3], BURST_ONE_CPU, "burst, one CPU", err);
    queue_bind_cpu(-1);
    race->subjects[ADD_ALONE] = (struct hy_bench_subject){
        .name = "ADD in one process", .run = queue_add_run, .self = &race->add};
    return code;
}

static void print_ratio(const struct hy_bench_subject *subjects, int of, int to, double apart)
{
    printf("%-28s %6.2f x %s%s\n", subjects[of].name,
           (subjects[of].median_us - apart) / subjects[to].median_us, subjects[to].name,
           apart > 0 ? ", less the ADD" : "");
}

static void print(const struct hy_bench_subject *subjects)
{
    printf("%-28s %9s\n", "round trip", "median us");
    for (int i = 0; i < SUBJECTS; i++)
        printf("%-28s %9.3f\n", subjects[i].name, subjects[i].median_us);
    printf("\n");
    print_ratio(subjects, BURST_SPIN, WORD_PAIR_SPIN, 0);
    print_ratio(subjects, BURST_SPIN_ADD, WORD_PAIR_SPIN, subjects[ADD_ALONE].median_us);
    print_ratio(subjects, BURST_SLEEP, WORD_PAIR_SLEEP, 0);
    print_ratio(subjects, BURST_ONE_CPU, WORD_PAIR_ONE_CPU, 0);
}

int main(int argc, char **argv)
{
    static struct race race;
    struct hy_error err = {0};
    const int rounds = argc > 1 ? atoi(argv[1]) : DEFAULT_ROUNDS;
    const struct hy_bench_rules rules = {.rounds = (uint32_t)(rounds > 0 ? rounds : 0),
                                         .round_time = ROUND_TIME};

    enum hy_code code = queue_add_init(&race.add, &err);
    if (code == HY_OK)
        code = start_word_pairs(&race, &err);
    if (code == HY_OK)
        code = start_bursts(&race, &err);
    if (code == HY_OK)
        code = hy_bench_measure(race.subjects, SUBJECTS, &rules, &err);
    if (code == HY_OK)
        print(race.subjects);
    else
        fprintf(stderr, "queue_round_trip: %s\n", err.text);
    for (int i = 0; i < 4; i++)
        queue_burst_peer_end(&race.bursts[i]);
    for (int i = 0; i < 3; i++)
        queue_word_peer_end(&race.words[i]);
    queue_add_finish(&race.add);
    return code == HY_OK ? 0 : 1;
}
