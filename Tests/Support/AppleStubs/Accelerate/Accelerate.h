// Apple's Accelerate in outline: the functions of BLAS and LAPACK that this package calls, in both
// of their interfaces. Without ACCELERATE_NEW_LAPACK come the old ones, which are deprecated since
// macOS 13.3, iOS 16.4 and watchOS 9.4; with it those of LAPACK 3.9 and later. Integers have 32
// bits in both, unless ACCELERATE_LAPACK_ILP64 is defined.
#ifndef ACCELERATE_H
#define ACCELERATE_H

#ifdef ACCELERATE_NEW_LAPACK
#define INTERFACE                                                                                  \
  __attribute__((availability(macos, introduced = 13.3)))                                          \
  __attribute__((availability(ios, introduced = 16.4)))                                            \
  __attribute__((availability(watchos, introduced = 9.4)))
#ifdef ACCELERATE_LAPACK_ILP64
typedef long __LAPACK_int;
#else
typedef int __LAPACK_int;
#endif
#else
#ifdef ACCELERATE_LAPACK_ILP64
#error "64-bit integers need ACCELERATE_NEW_LAPACK"
#endif
#define INTERFACE                                                                                  \
  __attribute__((availability(macos, introduced = 10.2, deprecated = 13.3)))                       \
  __attribute__((availability(ios, introduced = 4.0, deprecated = 16.4)))                          \
  __attribute__((availability(watchos, introduced = 2.0, deprecated = 9.4)))
typedef int __LAPACK_int;
#endif

typedef enum CBLAS_ORDER : int { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_ORDER;
typedef enum CBLAS_TRANSPOSE : int {
  CblasNoTrans = 111,
  CblasTrans = 112,
  CblasConjTrans = 113
} CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO : int { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG : int { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE : int { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;

void cblas_dgemm(
    const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE transa,
    const enum CBLAS_TRANSPOSE transb, const __LAPACK_int m, const __LAPACK_int n,
    const __LAPACK_int k, const double alpha, const double *a, const __LAPACK_int lda,
    const double *b, const __LAPACK_int ldb, const double beta, double *c,
    const __LAPACK_int ldc) INTERFACE;

void cblas_dsyrk(
    const enum CBLAS_ORDER order, const enum CBLAS_UPLO uplo, const enum CBLAS_TRANSPOSE trans,
    const __LAPACK_int n, const __LAPACK_int k, const double alpha, const double *a,
    const __LAPACK_int lda, const double beta, double *c, const __LAPACK_int ldc) INTERFACE;

void cblas_ssyrk(
    const enum CBLAS_ORDER order, const enum CBLAS_UPLO uplo, const enum CBLAS_TRANSPOSE trans,
    const __LAPACK_int n, const __LAPACK_int k, const float alpha, const float *a,
    const __LAPACK_int lda, const float beta, float *c, const __LAPACK_int ldc) INTERFACE;

void cblas_saxpy(
    const __LAPACK_int n, const float alpha, const float *x, const __LAPACK_int incx, float *y,
    const __LAPACK_int incy) INTERFACE;

void cblas_dtrsm(
    const enum CBLAS_ORDER order, const enum CBLAS_SIDE side, const enum CBLAS_UPLO uplo,
    const enum CBLAS_TRANSPOSE transa, const enum CBLAS_DIAG diag, const __LAPACK_int m,
    const __LAPACK_int n, const double alpha, const double *a, const __LAPACK_int lda, double *b,
    const __LAPACK_int ldb) INTERFACE;

#ifdef ACCELERATE_NEW_LAPACK
void dpotrf_(
    const char *_Nonnull uplo, const __LAPACK_int *_Nonnull n, double *_Nullable a,
    const __LAPACK_int *_Nonnull lda, __LAPACK_int *_Nonnull info) INTERFACE;
void dpstrf_(
    const char *_Nonnull uplo, const __LAPACK_int *_Nonnull n, double *_Nullable a,
    const __LAPACK_int *_Nonnull lda, __LAPACK_int *_Nonnull piv, __LAPACK_int *_Nonnull rank,
    const double *_Nonnull tol, double *_Nonnull work, __LAPACK_int *_Nonnull info) INTERFACE;
#else
int dpotrf_(
    char *uplo, __LAPACK_int *n, double *a, __LAPACK_int *lda, __LAPACK_int *info) INTERFACE;
int dpstrf_(
    char *uplo, __LAPACK_int *n, double *a, __LAPACK_int *lda, __LAPACK_int *piv,
    __LAPACK_int *rank, double *tol, double *work, __LAPACK_int *info) INTERFACE;
#endif

#endif
