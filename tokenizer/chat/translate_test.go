package chat

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// renders compiles and renders a template with two messages and a tool.
func renders(t *testing.T, template string, o Options) (string, error) {
	t.Helper()
	tmpl, err := New(template, chatML)
	if err != nil {
		t.Fatalf("%q: %v", template, err)
	}
	return tmpl.Render([]Message{{Role: "user", Content: " a<b "}, {Role: "assistant", Content: "c"}}, o)
}

// TestLanguage has what Jinja 3.1 makes of templates, with trim_blocks and
// lstrip_blocks, and the engine alone does not.
func TestLanguage(t *testing.T) {
	o := Options{
		Variables: map[string]any{
			"n": json.RawMessage("1.0"), "d": json.RawMessage(`{"b": 1, "a": {"items": [1, 2]}, "C": null}`),
			"words": []string{"x", "Y", "a"}, "text": "one two  three", "none": nil, "quoted": "it's\n",
		},
		Now: func() time.Time { return time.Date(2026, 7, 6, 9, 5, 0, 0, time.UTC) },
	}
	for _, tt := range []struct{ template, want string }{
		// Whitespace.
		{"a\n", "a"},
		{"a\r\nb\r\n\r\n", "a\nb\n"},
		{"  {% if true %}\n\n x{% endif %}\n\ny", "\n x\ny"},
		{"{% if true %}{% if true %}\n\nx{% endif %}{% endif %}", "\nx"},
		{"a {%- if true -%} \n b {%- endif %}\n", "ab"},
		{"a\n  {%+ if true +%}\n b{% endif %}", "a\n  \n b"},
		{"a {# {{ x #}\nb", "a b"},
		{"a\n  {#- x -#}\n b", "ab"},
		{"a {{- 1 -}} \n b", "a1b"},
		{"{% raw %}\n{{ x }}{%- endraw %}\nb", "\n{{ x }}b"},
		{"{%- raw -%}\n {% x %} {% endraw -%}\n b", "{% x %} b"},
		// Words.
		{`{{ 'a\u0041\x41\'\n' "b" }}`, "aAA'\nb"},
		{`{{ '\d' }}`, `\d`},
		{`{{ {'a': {'b': 1}}}}`, "{'a': {'b': 1}}"},
		{`{{ 1_000 }} {{ 1e3 }} {{ 1.50 }}`, "1000 1000.0 1.5"},
		{`{{ '%}' ~ "}}" }}`, "%}}}"},
		// What values look like.
		{`{{ n }} {{ n ~ n }} {{ 0.1 }} {{ [n, none, true, 'x'] }}`, "1.0 1.01.0 0.1 [1.0, None, True, 'x']"},
		{`{{ [2 * 3 ~ n, -n ~ 'x' if n ~ '' == '1.0'] }}{{ d.a ~ 1 }}{{ '[a]'.strip() ~ [1][0] }}`, "['61.0', '-1.0x']{'items': [1, 2]}1[a]1"},
		{`{{ d }}`, "{'b': 1, 'a': {'items': [1, 2]}, 'C': None}"},
		{`{{ quoted }}{{ [quoted, 'a"b'] }}`, "it's\n[\"it's\\n\", 'a\"b']"},
		{`{{ none }}|{{ missing }}|{{ none|string }}`, "None||None"},
		{`{{ d|tojson }}`, `{"b": 1, "a": {"items": [1, 2]}, "C": null}`},
		{`{{ dict() }}{{ dict(a=1)['a'] }}{{ {'dict': 2}.dict }}`, "{}12"},
		{`{{ [[], {}, {'a': [1]}]|tojson(indent=2) }}`, "[\n  [],\n  {},\n  {\n    \"a\": [\n      1\n    ]\n  }\n]"},
		{`{{ d|tojson(separators=(',', ':'), sort_keys=true) }}`, `{"C":null,"a":{"items":[1,2]},"b":1}`},
		{`{{ "é<\u2028\"\\\n\x01"|tojson }} {{ "é🙂"|tojson(ensure_ascii=true) }}`, `"é<` + "\u2028" + `\"\\\n\u0001" "\u00e9\ud83d\ude42"`},
		{`{{ '[1, {"z": 1.0, "y": "<"}]'|fromjson }}`, `[1, {'z': 1.0, 'y': '<'}]`},
		// Methods.
		{`{{ text.split() }}{{ text.split(' ', 1) }}{{ text.rsplit(' ', 1) }}`, "['one', 'two', 'three']['one', 'two  three']['one two ', 'three']"},
		{`{{ text.split(maxsplit=1) }}{{ 'a\nb\n'.splitlines() }}`, "['one', 'two  three']['a', 'b']"},
		{`{{ 'xxaxx'.strip('x') }}{{ '  a '.lstrip() }}|{{ 'abab'.replace('a', 'c', 1) }}{{ 'ab'.replace('', '-') }}`, "aa |cbab-a-b-"},
		{`{{ 'abc'.startswith(('x', 'a')) }}{{ 'abc'.endswith('c') }}{{ 'abc'.removeprefix('a').removesuffix('c') }}`, "TrueTrueb"},
		{`{{ 'éab'.find('a') }}{{ 'abab'.rfind('b') }}{{ 'aaa'.count('a') }}{{ '12'.isdigit() }}{{ ''.isdigit() }}`, "133TrueFalse"},
		{`{{ '{} {} {x} {{}}'.format('{}', 'b', x='c') }}{{ '{1}{0}'.format(1.0, 2) }}`, "{} b c {}21.0"},
		{`{{ ', '.join(words) }}{{ 'aB c'.title() }}{{ 'aB'.capitalize() }}{{ 'aB'.upper() }}`, "x, Y, aAb CAbAB"},
		{`{{ d.a.get('items') }}{{ d.a['items'] }}{% for k, v in d.a.items() %}{{ k }}{{ v }}{% endfor %}{{ d.get('q', 7) }}`, "[1, 2][1, 2]items[1, 2]7"},
		{`{{ d.keys()|list }}{{ d.values()|list|length }}`, "['b', 'a', 'C']3"},
		// Filters and tests.
		{`{{ words|sort|join }}{{ words|sort(reverse=true)|first }}{{ d|dictsort|map('first')|join if false else 'm' }}`, "axYYm"},
		{`{% for k, v in d|dictsort %}{{ k }}{% endfor %}{{ d|list|join(',') }}`, "abCb,a,C"},
		{`{{ [{'x': {'y': 1}}, {}]|map(attribute='x.y', default=0)|list }}{{ ['a ']|map('trim')|join }}`, "[1, 0]a"},
		{`{{ [{'x': 1}, {'x': 0}, {}]|selectattr('x')|list|length }}{{ [{'x': 1}, {}]|rejectattr('x')|list }}{{ [0, 1]|select|list }}{{ [0, 1]|reject()|list }}`, "1[{}][1][0]"},
		{`{{ "<"|safe + "<" + '"' }}{{ "a&'"|e }}`, "<&lt;&#34;a&amp;&#39;"},
		{`{{ 'a' is sequence and d is sequence and words is sequence and not n is sequence }}`, "True"},
		{`{{ 'éab'|first }}{{ text|last }}{{ words|first }}{{ d|last }}{{ [[1, 2]]|map('last')|first }}{{ []|first }}{{ missing|last }}`, "éexC2"},
		{`{{ messages[0].content|trim|first }}`, "a"},
		{`{{ 3 is odd and 1 is eq 1 and 'a' is in ['a'] and none is none }}`, "True"},
		// Statements.
		{`{% set x = 5 %}{% for i in [1, 2] %}{% if i == 1 %}{% set x = 1 %}{% endif %}{{ x }}{% endfor %}{{ x }}`, "155"},
		{`{% for i in [1, 2] %}{% if i == 1 %}{% set x = 1 %}{% endif %}{{ x is defined }}{% endfor %}`, "TrueFalse"},
		{`{% for i in [1, 2] %}{% for j in [1] %}{% set i = 9 %}{% endfor %}{{ i }}{% endfor %}`, "12"},
		{`{% for k, v in d.items() if v and k != 'b' %}{{ k }}{{ loop.last }}{% else %}no{% endfor %}`, "aTrue"},
		{`{% for i in range(1, 9, 3) %}{{ i }}{% if loop.last %}{% break %}{% endif %}{% endfor %}`, "147"},
		{`{% macro f(a, b=[1, 2], c='x,y') %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ f(1) }}{{ f(1, c=2) }}`, "1[1, 2]x,y1[1, 2]2"},
		{`{% macro f(n) %}{{ n }}{% if n %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}`, "3210"},
		{`{% set x %}a{{ 1 }} {% endset %}{{ x }}|{% set y | trim | upper %} b {% endset %}{{ y }}`, "a1 |B"},
		{`{% filter replace('a', 'b') | upper %}aa{% endfilter %}`, "BB"},
		{`{% macro box(x) %}<{{ caller(x) }}>{% endmacro %}{% call(y) box('a') %}{{ y }}!{% endcall %}`, "<a!>"},
		{`{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}`, "2"},
		{`{% generation %}a{% endgeneration %}`, "a"},
		// What the caller gave.
		{`{{ messages[0].content|trim }}{{ messages[0].content|length }}{{ messages[0].content[1:3] }}`, "a<b5a<"},
		{`{{ '<' in messages[0].content and '<' not in messages[1].content }}{{ messages[0].content|e }}`, "True a&lt;b "},
		{`{{ messages[0].content|tojson }}{{ [messages[0].content] }}{{ messages[0].content.split('<') }}`, `" a<b "[' a<b '][' a', 'b ']`},
		{`{{ strftime_now('%d %b %Y, %H:%M %-d/%-m %A %j %%') }}`, "06 Jul 2026, 09:05 6/7 Monday 187 %"},
		{`{{ bos_token }}{{ eos_token }}{{ add_generation_prompt }}{{ enable_thinking }}`, "<|endoftext|><|im_end|>TrueFalse"},
	} {
		got, err := renders(t, tt.template, o)
		if err != nil {
			t.Errorf("%q: %v", tt.template, err)
		} else if got != tt.want {
			t.Errorf("%q:\n got %q\nwant %q", tt.template, got, tt.want)
		}
	}
}

func TestBrokenTemplates(t *testing.T) {
	for template, want := range map[string]string{
		"{{ x":                                   "unclosed tag",
		"a\nb {% if x ":                          "line 2: unclosed tag",
		"\n\n{% if x %}":                         "if block",
		"{{ }}":                                  "empty tag",
		"{{ 'a }}":                               "unclosed string",
		"{# a":                                   "unclosed comment",
		"{% raw %}a":                             "unclosed raw",
		"{% endfor %}":                           "endfor",
		"{% endmacro %}":                         "endmacro",
		"{% for x in %}{% endfor %}":             "expression expected",
		"{% for x %}{% endfor %}":                "for without in",
		"{% for a, b, c in x %}{% endfor %}":     "3 names",
		"{% for a in x recursive %}{% endfor %}": "recursive",
		"{% set a, b = 1, 2 %}":                  "several names",
		"{% set %}":                              "needs a name",
		"{% macro f %}{% endmacro %}":            "macro needs",
		"{% macro f(1) %}{% endmacro %}":         "parameters",
		"{% include 'x' %}":                      "include",
		"\n{{ a $ b }}":                          `line 2: unexpected character '$'`,
		"{{ (a] }}":                              `unexpected "]"`,
		"{{ a b }}":                              "line 1",
		"{{ x|nonsense }}":                       "nonsense",
		"{{ x| }}":                               "filter expected",
		"{{ x is nonsense }}":                    "nonsense",
		"{{ 'a %s' % x }}":                       "formatting",
		"{{ dict(x, a=1) }}":                     "dict of another mapping",
		strings.Repeat("{{ (", 1) + strings.Repeat("(", 1e5): "nested deeper",
		strings.Repeat("x", maxTemplate+1):                   "bytes",
	} {
		if _, err := New(template, chatML); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", template, err, want)
		}
	}
	for _, template := range []string{"", " \n"} {
		if _, err := New(template, chatML); !errors.Is(err, ErrNoTemplate) {
			t.Errorf("%q: %v", template, err)
		}
	}
}

// TestFailingTemplates has those that fail when they are rendered.
func TestFailingTemplates(t *testing.T) {
	for template, want := range map[string]string{
		"{{ 'a' * -1 }}":                                          "negative", // the engine panics
		"{{ none.split() }}":                                      "none",
		"{{ missing.split() }}":                                   "undefined",
		"{{ messages.items() }}":                                  "a list",
		"{{ messages[0].strip() }}":                               "a mapping",
		"{{ 'a'.split('') }}":                                     "empty separator",
		"{{ '{0}'.format() }}":                                    "no argument",
		"{{ '{'.format() }}":                                      "brace",
		"{{ 'a'.startswith() }}":                                  "argument",
		"{{ range(1000000) }}":                                    "too long",
		"{{ range(1, 2, 0) }}":                                    "zero",
		"{{ 'x'|fromjson }}":                                      "fromjson",
		"{{ [1]|map('nonsense') }}":                               "nonsense",
		"{{ raise_exception }}{{ nothing() }}":                    "not callable",
		"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}":         "too deep",
		"{% set l = [] %}{% set m = l.append(l) %}{{ l|tojson }}": "deeper",
		"{{ '[' ~ '[' * 300 }}{{ ('[' * 300)|fromjson }}":         "deeper",
	} {
		if _, err := renders(t, template, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", template, err, want)
		}
	}
}
