/* MathML from the LaTeX of the printers: every construct, and what is not whole. */
#include "tests/unit/derive/build.h"
#include "derive/document.h"

static void assert_mathml(const char *latex, const char *expected) {
  struct text out = {0};
  document_mathml(&out, latex);
  assert_string_equal(text_string(&out), expected);
  text_free(&out);
}

static void test_leaves(void **state) {
  (void)state;
  assert_mathml("a + 12.5", "<mi>a</mi><mo>+</mo><mn>12.5</mn>");
  assert_mathml("-\\alpha", "<mo>−</mo><mi>α</mi>");
  assert_mathml("\\sin x", "<mi>sin</mi><mi>x</mi>");
  assert_mathml("\\mathit{bob}", "<mi>bob</mi>");
  assert_mathml("\\text{a < b}", "<mtext>a &lt; b</mtext>");
  assert_mathml("a\\,b", "<mi>a</mi><mspace width=\"0.17em\"/><mi>b</mi>");
}

static void test_indices(void **state) {
  (void)state;
  assert_mathml("x^{2}", "<msup><mi>x</mi><mrow><mn>2</mn></mrow></msup>");
  assert_mathml("x_{1}^{2}", "<msup><msub><mi>x</mi><mrow><mn>1</mn></mrow></msub>"
                             "<mrow><mn>2</mn></mrow></msup>");
  assert_mathml("\\left(a\\right)^{2}", "<msup><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow>"
                                        "<mrow><mn>2</mn></mrow></msup>");
}

static void test_groups(void **state) {
  (void)state;
  assert_mathml("\\frac{a}{b}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>");
  assert_mathml("\\sqrt{a}", "<msqrt><mrow><mi>a</mi></mrow></msqrt>");
  assert_mathml("\\dot{x}", "<mover><mrow><mi>x</mi></mrow><mo>˙</mo></mover>");
  assert_mathml("\\begin{cases} a & b \\\\ c & d \\end{cases}",
                "<mrow><mo>{</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr>"
                "<mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable></mrow>");
}

/* Depth costs no stack, and the elements of broken input are closed. */
static void test_depth(void **state) {
  (void)state;
  struct text latex = {0}, out = {0};
  for (int i = 0; i < 20000; i++) text_put(&latex, "\\sqrt{");
  document_mathml(&out, text_string(&latex));
  size_t opened = 0, closed = 0;
  for (const char *at = text_string(&out); *at != '\0'; at++) {
    opened += strncmp(at, "<msqrt>", 7) == 0;
    closed += strncmp(at, "</msqrt>", 8) == 0;
  }
  assert_int_equal(opened, 20000);
  assert_int_equal(closed, 20000);
  text_free(&out);
  text_free(&latex);
  static const char *const broken[] = {"}",      "\\frac{a", "^",        "\\",
                                       "\\left", "x_",       "\\text{a", "\\begin"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    document_mathml(&out, broken[i]);
    text_free(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_leaves),
      cmocka_unit_test(test_indices),
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_depth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
