#include "driverd/oom_score.h"

#include <stdio.h>

#define FILE_NAME "/proc/self/oom_score_adj"

/* Units of 1/1000 of the memory of the machine. */
enum { MORE = 300, MOST = 1000 };

void hy_oom_score_raise(void)
{
    int score = 0;

    FILE *file = fopen(FILE_NAME, "re");
    if (file && fscanf(file, "%d", &score) != 1)
        score = 0;
    if (file)
        fclose(file);
    file = fopen(FILE_NAME, "we");
    if (!file)
        return;
    fprintf(file, "%d\n", score + MORE < MOST ? score + MORE : MOST);
    fclose(file);
}
