# Reads C++ sources token by token and prints one line for each function: "function LINES CYCLOMATIC FILE:LINE NAME", and at the
# end "density TOKENS CODE-LINES" and for each line over the bar "column WIDTH FILE:LINE". A function is a body in braces at the
# level of a namespace or a class; lambdas and local classes count to the function that holds them. -v columns=110
BEGIN { files = 0 }

FNR == 1 {
  if (files++ && depth != 0) printf "FAILED: %d braces are open at the end of %s\n", depth, file > "/dev/stderr"
  file = FILENAME; depth = 0; paren = 0; comment = 0; raw = ""; directive = 0; in_function = 0
  open_statement()
}

{
  width = $0; gsub(/[\200-\277]/, "", width); width = length(width)
  if (width > columns) print "column", width, FILENAME ":" FNR
  scan($0)
}

END { print "density", tokens, code_lines }

function open_statement() {  # what is known of a declaration before its "{"
  name = ""; last = ""; keyword = ""; parens = 0; assigned = 0; colon = 0; angle = -1
}

function scan(line,   before, gap, end, text) {
  before = tokens
  if (directive || line ~ /^[ \t]*#/) {
    directive = !raw && !comment && line ~ /\\$/
    return
  }
  while (line != "") {
    if (comment) {
      if (!(end = index(line, "*/"))) return count(before)
      line = substr(line, end + 2); comment = 0
      continue
    }
    if (raw != "") {
      if (!(end = index(line, raw))) return count(before)
      line = substr(line, end + length(raw)); raw = ""
      token("\"\"", 0)
      continue
    }
    gap = match(line, /[^ \t]/) - 1
    if (gap < 0) break
    line = substr(line, gap + 1)
    if (line ~ /^\/\//) break
    if (line ~ /^\/\*/) { comment = 1; line = substr(line, 3); continue }
    if (match(line, /^(u8|u|U|L)?R"[^( ]*\(/)) {
      text = substr(line, 1, RLENGTH); sub(/^[^"]*"/, "", text); sub(/\($/, "", text)
      raw = ")" text "\""; line = substr(line, RLENGTH + 1)
      continue
    }
    if (match(line, /^(u8|u|U|L)?"([^"\\]|\\.)*"/) || match(line, /^(u8|u|U|L)?'([^'\\]|\\.)*'/)) text = "\"\""
    else if (match(line, /^[0-9]([0-9A-Za-z_.']|[eEpP][+-])*/)) text = "0"
    else if (match(line, /^[A-Za-z_\200-\377][A-Za-z0-9_\200-\377]*/)) text = substr(line, 1, RLENGTH)
    else if (match(line, /^(<<=|\.\.\.|->\*|::|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*\/%&|^]=)/)) text = substr(line, 1, RLENGTH)
    else { text = substr(line, 1, 1); RLENGTH = 1 }
    line = substr(line, RLENGTH + 1)
    token(text, gap)
  }
  count(before)
}

function count(before) { if (tokens > before) ++code_lines }

function token(text, gap) {
  ++tokens
  if (in_function) body(text, gap)
  else declaration(text)
  last = text
}

function body(text, gap) {
  if (text ~ /^(if|for|while|case|catch|\|\||\?|and|or)$/ || (text == "&&" && gap)) ++cyclomatic  # "T&&" has no gap
  else if (text == "{") ++depth
  else if (text == "}" && --depth < in_function) {
    print "function", FNR - begin + 1, cyclomatic, file ":" begin, named
    in_function = 0
    open_statement()
  }
}

function declaration(text,   kind) {
  if (text == "{") {
    kind = opens()
    if (kind == "function") { in_function = depth + 1; begin = FNR; cyclomatic = 1; named = name }
    else if (kind == "value" && !values) values = depth + 1
    ++depth
    if (kind == "scope") open_statement()
    return
  }
  if (text == "}") {
    --depth
    if (values && depth < values) { values = 0; return }
    if (!values) open_statement()
    return
  }
  if (values) return
  if (text == "(" && !paren && !colon && !assigned && last ~ /^([A-Za-z_~].*|\)|>|=|\]|[-+*\/%&|^<!])$/) {
    parens = 1
    if (last != ")") name = last
  }
  if (text == "(" || text == "[") { ++paren; return }
  if (text == ")" || text == "]") { --paren; return }
  if (angle >= 0) {  # the parameters of a template
    if (text == "<") ++angle
    else if (text == ">" && --angle == 0) angle = -1
    return
  }
  if (paren) return
  if (text == ";") return open_statement()
  if (last == "template" && text == "<") { angle = 1; return }
  if (text == "=" && last != "operator") assigned = 1
  if (text == ":" && parens) colon = 1
  if (text == ":" && last ~ /^(public|private|protected)$/) return open_statement()
  if (text ~ /^(namespace|class|struct|union|enum|extern)$/ && !parens && keyword == "") keyword = text
}

# What the "{" begins: a scope with declarations of its own, the body of a function, or a value.
function opens() {
  if (values || paren || assigned) return "value"
  if (parens && colon && last !~ /^(\)|\}|try)$/) return "value"  # a member of an initialiser list
  if (parens) return "function"
  if (keyword == "enum") return "value"
  if (keyword != "") return "scope"
  return "value"
}
