/* A library with the C interface of LAPACK only. It returns which argument is wrong, otherwise 100. */

int LAPACKE_dpotrf(int layout, char triangle, int n, double *a, int lda) {
    if (layout != 102) return 1;
    if (triangle != 'U') return 2;
    if (n != 3) return 3;
    if (a[0] <= a[1] || a[3] != a[1]) return 4;
    return lda == 3 ? 100 : 5;
}

int LAPACKE_zgetrf(int layout, int m, int n, double *a, int lda, int *pivots) {
    if (layout != 102) return 1;
    if (m != 4) return 2;
    if (n != 2) return 3;
    if (a[0] == a[1]) return 4;
    pivots[1] = 2;
    return lda == 4 ? 100 : 5;
}

#ifdef WIDE
typedef long long integer;
#else
typedef int integer;
#endif

integer isamax_(integer *n, float *x, integer *step) {
    integer largest = 0;
    for (integer i = 1; i < *n * *step; i++)
        if (x[i] > x[largest]) largest = i;
    return *n > 0 ? largest + 1 : 0;
}

static int threads = 1;
void openblas_set_num_threads(int number) { threads = number < 2 ? number : 2; }
int openblas_get_num_threads(void) { return threads; }
const char *openblas_get_config(void) { return "stub \n of tests "; }
