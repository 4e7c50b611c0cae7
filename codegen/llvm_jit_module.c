/* Loading an object into the process, in a closed world: it may call the C library's mathematics,
 * the memory functions that the code generator uses, and our solver kernels; nothing else can be
 * reached. */
#include "codegen/kernels.h"
#include "codegen/llvm_ir.h"
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#ifndef __USE_GNU
void sincos(double angle, double *sine, double *cosine);
double exp10(double exponent);
#endif

struct jit_code {
  LLVMOrcLLJITRef jit;
};

struct allowed_symbol {
  const char *name;
  uintptr_t address;
};

#define ALLOWED(function)                                                                          \
  { #function, (uintptr_t)&function }
static const struct allowed_symbol allowed[] = {
    ALLOWED(sin),
    ALLOWED(cos),
    ALLOWED(tan),
    ALLOWED(sincos),
    ALLOWED(asin),
    ALLOWED(acos),
    ALLOWED(atan),
    ALLOWED(atan2),
    ALLOWED(sinh),
    ALLOWED(cosh),
    ALLOWED(tanh),
    ALLOWED(exp),
    ALLOWED(exp2),
    ALLOWED(exp10),
    ALLOWED(log),
    ALLOWED(log2),
    ALLOWED(log10),
    ALLOWED(pow),
    ALLOWED(sqrt),
    ALLOWED(cbrt),
    ALLOWED(floor),
    ALLOWED(ldexp),
    ALLOWED(fmod),
    ALLOWED(fma),
    ALLOWED(memcpy),
    ALLOWED(memset),
    ALLOWED(memmove),
    {"dyn_factor", (uintptr_t)&kernel_factor},
    {"dyn_substitute", (uintptr_t)&kernel_substitute},
    {"dyn_careful", (uintptr_t)&tape_run_plain},
};
enum { ALLOWED_COUNT = sizeof allowed / sizeof *allowed };

struct lookup { /* one question to the JIT and what it answered */
  LLVMOrcLLJITRef jit;
  struct text fault;
  void **addresses;
  LLVMOrcCLookupSet wanted;
  size_t count;
  bool is_done;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
};

static void add_error(struct text *fault, LLVMErrorRef error) {
  char *message = LLVMGetErrorMessage(error);
  if (fault->length > 0) text_put(fault, "; ");
  text_put(fault, message);
  LLVMDisposeErrorMessage(message);
}

/* The reason of a failure (a missing symbol) comes only this way. */
static void report(void *user, LLVMErrorRef error) {
  struct lookup *lookup = user;
  add_error(&lookup->fault, error);
}

static LLVMOrcCSymbolMapPair symbol(LLVMOrcLLJITRef jit, const char *name, uintptr_t address,
                                    uint8_t kind) {
  return (LLVMOrcCSymbolMapPair){
      .Name = LLVMOrcLLJITMangleAndIntern(jit, name),
      .Sym = {.Address = address, .Flags = {LLVMJITSymbolGenericFlagsExported | kind, 0}}};
}

static void define_allowed(LLVMOrcLLJITRef jit, LLVMOrcJITDylibRef library,
                           const struct ir_datum *data, size_t data_count, struct text *fault) {
  size_t count = 0;
  LLVMOrcCSymbolMapPair *pairs = checked_calloc(ALLOWED_COUNT + data_count, sizeof *pairs);
  for (size_t i = 0; i < ALLOWED_COUNT; i++)
    pairs[count++] =
        symbol(jit, allowed[i].name, allowed[i].address, LLVMJITSymbolGenericFlagsCallable);
  for (size_t i = 0; i < data_count; i++)
    pairs[count++] = symbol(jit, data[i].name, (uintptr_t)data[i].address, 0);
  LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, count);
  free(pairs);
  LLVMErrorRef error = LLVMOrcJITDylibDefine(library, unit);
  if (error == NULL) return;
  add_error(fault, error);
  LLVMOrcDisposeMaterializationUnit(unit);
}

static void take_result(LLVMErrorRef error, LLVMOrcCSymbolMapPairs result, size_t count,
                        void *user) {
  struct lookup *lookup = user;
  pthread_mutex_lock(&lookup->mutex);
  if (error != NULL) add_error(&lookup->fault, error);
  for (size_t i = 0; error == NULL && i < count; i++)
    for (size_t k = 0; k < lookup->count; k++)
      if (lookup->wanted[k].Name == result[i].Name)
        lookup->addresses[k] = (void *)(uintptr_t)result[i].Sym.Address;
  lookup->is_done = true;
  pthread_cond_signal(&lookup->changed);
  pthread_mutex_unlock(&lookup->mutex);
}

static void find_symbols(struct lookup *lookup, LLVMOrcJITDylibRef library,
                         const char *const *names) {
  LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(lookup->jit);
  LLVMOrcCJITDylibSearchOrderElement order = {library, LLVMOrcJITDylibLookupFlagsMatchAllSymbols};
  lookup->wanted = checked_calloc(lookup->count + 1, sizeof *lookup->wanted);
  for (size_t i = 0; i < lookup->count; i++) {
    lookup->wanted[i].Name = LLVMOrcLLJITMangleAndIntern(lookup->jit, names[i]);
    lookup->wanted[i].LookupFlags = LLVMOrcSymbolLookupFlagsRequiredSymbol;
  }
  for (size_t i = 0; i < lookup->count; i++)
    LLVMOrcRetainSymbolStringPoolEntry(lookup->wanted[i].Name); /* the lookup takes one of two */
  LLVMOrcExecutionSessionLookup(session, LLVMOrcLookupKindStatic, &order, 1, lookup->wanted,
                                lookup->count, take_result, lookup);
  pthread_mutex_lock(&lookup->mutex);
  while (!lookup->is_done) pthread_cond_wait(&lookup->changed, &lookup->mutex);
  pthread_mutex_unlock(&lookup->mutex);
  for (size_t i = 0; i < lookup->count; i++)
    LLVMOrcReleaseSymbolStringPoolEntry(lookup->wanted[i].Name);
  free(lookup->wanted);
}

static void load_object(struct lookup *lookup, LLVMMemoryBufferRef object,
                        const struct ir_datum *data, size_t data_count, const char *const *names) {
  LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(lookup->jit);
  LLVMOrcExecutionSessionSetErrorReporter(session, report, lookup);
  LLVMOrcJITDylibRef library = LLVMOrcExecutionSessionCreateBareJITDylib(session, "model");
  define_allowed(lookup->jit, library, data, data_count, &lookup->fault);
  LLVMErrorRef error = LLVMOrcLLJITAddObjectFile(lookup->jit, library, object);
  if (error != NULL) add_error(&lookup->fault, error);
  if (lookup->fault.length == 0) find_symbols(lookup, library, names);
}

static void ignore(void *user, LLVMErrorRef error) {
  (void)user;
  LLVMConsumeError(error);
}

char *jit_load(LLVMMemoryBufferRef object, const struct ir_datum *data, size_t data_count,
               const char *const *names, void **addresses, size_t count, struct jit_code **out) {
  struct lookup lookup = {.addresses = addresses, .count = count};
  *out = NULL;
  LLVMErrorRef error = LLVMOrcCreateLLJIT(&lookup.jit, NULL);
  if (error != NULL) {
    add_error(&lookup.fault, error);
    LLVMDisposeMemoryBuffer(object);
    return text_take(&lookup.fault);
  }
  pthread_mutex_init(&lookup.mutex, NULL);
  pthread_cond_init(&lookup.changed, NULL);
  load_object(&lookup, object, data, data_count, names);
  pthread_cond_destroy(&lookup.changed);
  pthread_mutex_destroy(&lookup.mutex);
  LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(lookup.jit), ignore,
                                          NULL);
  struct jit_code *code = checked_calloc(1, sizeof *code);
  code->jit = lookup.jit;
  if (lookup.fault.length > 0) {
    jit_free(code);
    return text_take(&lookup.fault);
  }
  *out = code;
  return NULL;
}

void jit_free(struct jit_code *code) {
  if (code == NULL) return;
  LLVMErrorRef error = LLVMOrcDisposeLLJIT(code->jit);
  if (error != NULL) LLVMConsumeError(error);
  free(code);
}
