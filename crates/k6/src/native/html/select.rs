//! CSS selectors: level 3 with `:not`, `:is`, `:has`, `:contains` and `[a!=b]` as jQuery's users write them.

use super::tree::{Kind, NodeId, Tree};

/// Depth of selectors within selectors.
const DEPTH_MAX: usize = 16;

/// Alternatives, parted by commas.
#[derive(Debug)]
pub(super) struct Selector(Vec<Complex>);

/// Compounds from right to left, each with how it hangs together with the one on its right.
#[derive(Debug)]
struct Complex(Vec<(Joint, Vec<Simple>)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    Within,
    Child,
    Next,
    Later,
}

#[derive(Debug)]
enum Simple {
    Name(String),
    Attribute {
        name: String,
        test: Test,
        value: String,
        is_lax: bool,
    },
    /// Position `step × n + offset` among siblings, from the begin or the end, of all or of its name.
    Nth {
        step: i64,
        offset: i64,
        from_end: bool,
        of_type: bool,
    },
    Only {
        of_type: bool,
    },
    Empty,
    Root,
    Not(Selector),
    Is(Selector),
    Has(Selector),
    Contains {
        text: String,
        own: bool,
    },
    Checked,
    Disabled,
    Enabled,
    Input,
    Link,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Test {
    Exists,
    Equal,
    Unequal,
    Word,
    Dash,
    Begin,
    End,
    Part,
}

impl Selector {
    /// Reads a selector.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { rest: text, depth: 0 };
        let selector = reader.list()?;
        match reader.rest.is_empty() {
            true => Ok(selector),
            false => Err(format!("selector {text:?}: {:?} is not understood", reader.rest)),
        }
    }

    /// Whether an element is one of those.
    pub(super) fn matches(&self, tree: &Tree, id: NodeId) -> bool {
        tree.is_element(id) && self.0.iter().any(|complex| complex.matches(tree, id, 0))
    }
}

impl Complex {
    /// Whether the compounds from `at` on hold for an element and those around it.
    fn matches(&self, tree: &Tree, id: NodeId, at: usize) -> bool {
        let Some((_, compound)) = self.0.get(at) else { return true };
        if !compound.iter().all(|simple| simple.matches(tree, id)) {
            return false;
        }
        let Some((joint, _)) = self.0.get(at + 1) else { return true };
        let mut element = id;
        loop {
            let found = match joint {
                Joint::Within | Joint::Child => {
                    tree.parent(element).filter(|parent| tree.is_element(*parent))
                }
                Joint::Next | Joint::Later => previous(tree, element),
            };
            let Some(found) = found else { return false };
            if self.matches(tree, found, at + 1) {
                return true;
            }
            if matches!(joint, Joint::Child | Joint::Next) {
                return false;
            }
            element = found;
        }
    }
}

fn previous(tree: &Tree, id: NodeId) -> Option<NodeId> {
    std::iter::successors(tree.previous(id), |id| tree.previous(*id)).find(|id| tree.is_element(*id))
}

fn next(tree: &Tree, id: NodeId) -> Option<NodeId> {
    std::iter::successors(tree.next(id), |id| tree.next(*id)).find(|id| tree.is_element(*id))
}

/// How many siblings stand before (or behind) an element, of all or of its name.
fn place(tree: &Tree, id: NodeId, from_end: bool, of_type: bool) -> i64 {
    let step = if from_end { next } else { previous };
    let siblings = std::iter::successors(step(tree, id), |id| step(tree, *id));
    siblings.filter(|sibling| !of_type || tree.name(*sibling) == tree.name(id)).count() as i64
}

impl Simple {
    fn matches(&self, tree: &Tree, id: NodeId) -> bool {
        let named = |names: &[&str]| tree.name(id).is_some_and(|name| names.contains(&name));
        let has = |name: &str| tree.attribute(id, name).is_some();
        match self {
            Self::Name(name) => tree.name(id).is_some_and(|known| known.eq_ignore_ascii_case(name)),
            Self::Attribute { name, test, value, is_lax } => {
                test_attribute(tree.attribute(id, name), *test, value, *is_lax)
            }
            Self::Nth { step, offset, from_end, of_type } => {
                let distance = place(tree, id, *from_end, *of_type) + 1 - offset;
                match *step {
                    0 => distance == 0,
                    step => distance % step == 0 && distance / step >= 0,
                }
            }
            Self::Only { of_type } => {
                place(tree, id, false, *of_type) == 0 && place(tree, id, true, *of_type) == 0
            }
            Self::Empty => tree.children(id).all(|child| matches!(tree.kind(child), Some(Kind::Comment(_)))),
            Self::Root => tree.parent(id).is_some_and(|parent| !tree.is_element(parent)),
            Self::Not(selector) => !selector.matches(tree, id),
            Self::Is(selector) => selector.matches(tree, id),
            Self::Has(selector) => tree.descendants(id).any(|inner| selector.matches(tree, inner)),
            Self::Contains { text, own: false } => tree.text(id).contains(text),
            Self::Contains { text, own: true } => tree
                .children(id)
                .any(|child| matches!(tree.kind(child), Some(Kind::Text(own)) if own.contains(text))),
            Self::Checked => named(&["input"]) && has("checked") || named(&["option"]) && has("selected"),
            Self::Disabled => has("disabled") && named(FORM_PARTS),
            Self::Enabled => !has("disabled") && named(FORM_PARTS),
            Self::Input => named(&["input", "select", "textarea", "button"]),
            Self::Link => named(&["a", "area", "link"]) && has("href"),
        }
    }
}

const FORM_PARTS: &[&str] =
    &["input", "select", "textarea", "button", "option", "optgroup", "fieldset", "menuitem"];

fn test_attribute(found: Option<&str>, test: Test, value: &str, is_lax: bool) -> bool {
    let Some(found) = found else { return test == Test::Unequal };
    let (small_found, small_value);
    let (found, value) = if is_lax {
        (small_found, small_value) = (found.to_lowercase(), value.to_lowercase());
        (small_found.as_str(), small_value.as_str())
    } else {
        (found, value)
    };
    match test {
        Test::Exists => true,
        Test::Equal => found == value,
        Test::Unequal => found != value,
        Test::Word => found.split_ascii_whitespace().any(|word| word == value),
        Test::Dash => found.strip_prefix(value).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
        Test::Begin => !value.is_empty() && found.starts_with(value),
        Test::End => !value.is_empty() && found.ends_with(value),
        Test::Part => !value.is_empty() && found.contains(value),
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self, mark: char) -> bool {
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn blanks(&mut self) -> bool {
        let rest = self.rest.trim_start();
        let had = rest.len() < self.rest.len();
        self.rest = rest;
        had
    }

    fn expected<T>(&self, what: &str) -> Result<T, String> {
        let found = self.peek().map_or("the end".to_owned(), |letter| format!("{letter:?}"));
        Err(format!("selector: {what} is expected and {found} found"))
    }

    fn list(&mut self) -> Result<Selector, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("a selector of more than {DEPTH_MAX} levels"));
        }
        let mut alternatives = vec![self.complex()?];
        while self.take(',') {
            alternatives.push(self.complex()?);
        }
        self.depth -= 1;
        Ok(Selector(alternatives))
    }

    fn complex(&mut self) -> Result<Complex, String> {
        self.blanks();
        let mut compounds = vec![self.compound()?];
        // The joint of a compound is how it stands to the one on its right.
        let mut joints = Vec::new();
        loop {
            let had_blank = self.blanks();
            let joint = match self.peek() {
                Some('>') => Joint::Child,
                Some('+') => Joint::Next,
                Some('~') => Joint::Later,
                None | Some(',' | ')') => break,
                Some(_) if had_blank => Joint::Within,
                Some(_) => return self.expected("a blank, a comma or the end"),
            };
            if joint != Joint::Within {
                self.rest = self.rest.get(1..).unwrap_or_default();
                self.blanks();
            }
            joints.push(joint);
            compounds.push(self.compound()?);
        }
        joints.push(Joint::Within);
        let pairs: Vec<_> = joints.into_iter().zip(compounds).rev().collect();
        Ok(Complex(pairs))
    }

    fn compound(&mut self) -> Result<Vec<Simple>, String> {
        let mut simples = Vec::new();
        let mut is_any = self.take('*');
        if !is_any && self.peek().is_some_and(is_word) {
            simples.push(Simple::Name(self.word()?));
        }
        loop {
            let simple = match self.peek() {
                Some('#') => self.named("id", Test::Equal)?,
                Some('.') => self.named("class", Test::Word)?,
                Some('[') => self.attribute()?,
                Some(':') => self.pseudo()?,
                _ => break,
            };
            simples.push(simple);
        }
        is_any |= !simples.is_empty();
        if is_any { Ok(simples) } else { self.expected("a selector") }
    }

    fn named(&mut self, name: &str, test: Test) -> Result<Simple, String> {
        self.rest = self.rest.get(1..).unwrap_or_default();
        Ok(Simple::Attribute { name: name.to_owned(), test, value: self.word()?, is_lax: false })
    }

    /// A name; a mark behind a backslash belongs to it.
    fn word(&mut self) -> Result<String, String> {
        let mut word = String::new();
        while let Some(letter) = self.peek() {
            let escaped = (letter == '\\').then(|| self.rest.chars().nth(1)).flatten();
            let Some(taken) = escaped.or_else(|| is_word(letter).then_some(letter)) else { break };
            let length = taken.len_utf8() + usize::from(escaped.is_some());
            self.rest = self.rest.get(length..).unwrap_or_default();
            word.push(taken);
        }
        if word.is_empty() { self.expected("a name") } else { Ok(word) }
    }

    /// A text in quotes, or a name.
    fn value(&mut self) -> Result<String, String> {
        let Some(quote) = self.peek().filter(|mark| matches!(mark, '"' | '\'')) else { return self.word() };
        let rest = self.rest.get(1..).unwrap_or_default();
        let Some((text, rest)) = rest.split_once(quote) else { return self.expected("a closed text") };
        self.rest = rest;
        Ok(text.to_owned())
    }

    fn attribute(&mut self) -> Result<Simple, String> {
        self.take('[');
        self.blanks();
        let name = self.word()?.to_lowercase();
        self.blanks();
        let tests = [
            ("=", Test::Equal),
            ("!=", Test::Unequal),
            ("~=", Test::Word),
            ("|=", Test::Dash),
            ("^=", Test::Begin),
            ("$=", Test::End),
            ("*=", Test::Part),
        ];
        let found = tests.iter().find_map(|(mark, test)| Some((self.rest.strip_prefix(mark)?, *test)));
        let (mut test, mut value, mut is_lax) = (Test::Exists, String::new(), false);
        if let Some((rest, found)) = found {
            self.rest = rest;
            self.blanks();
            (test, value) = (found, self.value()?);
            self.blanks();
            is_lax = self.take('i') || self.take('I');
            self.blanks();
        }
        if self.take(']') {
            return Ok(Simple::Attribute { name, test, value, is_lax });
        }
        self.expected("`]`")
    }

    fn pseudo(&mut self) -> Result<Simple, String> {
        self.take(':');
        self.take(':');
        let name = self.word()?.to_lowercase();
        let nth = |from_end, of_type| Simple::Nth { step: 0, offset: 1, from_end, of_type };
        if self.take('(') {
            self.blanks();
            let simple = match name.as_str() {
                "not" => Simple::Not(self.list()?),
                "is" | "matches" | "where" => Simple::Is(self.list()?),
                "has" => Simple::Has(self.list()?),
                "contains" | "containsown" => {
                    let text = match self.peek() {
                        Some('"' | '\'') => self.value()?,
                        _ => {
                            let end = self.rest.find(')').unwrap_or(self.rest.len());
                            let text = self.rest.get(..end).unwrap_or_default().trim().to_owned();
                            self.rest = self.rest.get(end..).unwrap_or_default();
                            text
                        }
                    };
                    Simple::Contains { text, own: name == "containsown" }
                }
                "nth-child" | "nth-last-child" | "nth-of-type" | "nth-last-of-type" => {
                    let (step, offset) = self.formula()?;
                    let (from_end, of_type) = (name.contains("last"), name.contains("type"));
                    Simple::Nth { step, offset, from_end, of_type }
                }
                _ => return Err(format!("selector: there is no :{name}()")),
            };
            self.blanks();
            return if self.take(')') { Ok(simple) } else { self.expected("`)`") };
        }
        Ok(match name.as_str() {
            "first-child" => nth(false, false),
            "last-child" => nth(true, false),
            "first-of-type" => nth(false, true),
            "last-of-type" => nth(true, true),
            "only-child" => Simple::Only { of_type: false },
            "only-of-type" => Simple::Only { of_type: true },
            "empty" => Simple::Empty,
            "root" => Simple::Root,
            "checked" | "selected" => Simple::Checked,
            "disabled" => Simple::Disabled,
            "enabled" => Simple::Enabled,
            "input" => Simple::Input,
            "link" => Simple::Link,
            _ => return Err(format!("selector: there is no :{name}")),
        })
    }

    /// `odd`, `even`, `3`, `2n+1`.
    fn formula(&mut self) -> Result<(i64, i64), String> {
        let end = self.rest.find(')').unwrap_or(self.rest.len());
        let text: String = self.rest.get(..end).unwrap_or_default().split_whitespace().collect();
        self.rest = self.rest.get(end..).unwrap_or_default();
        let wrong = || format!("selector: {text:?} is no position such as 3 or 2n+1");
        let number = |text: &str| text.parse::<i32>().map(i64::from).map_err(|_| wrong());
        Ok(match text.to_lowercase().as_str() {
            "odd" => (2, 1),
            "even" => (2, 0),
            text => match text.split_once('n') {
                None => (0, number(text)?),
                Some((step, offset)) => {
                    let step = match step {
                        "" | "+" => 1,
                        "-" => -1,
                        step => number(step)?,
                    };
                    (step, if offset.is_empty() { 0 } else { number(offset)? })
                }
            },
        })
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '_' | '\\') || !letter.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::super::write::{inner, outer};
    use super::*;

    const PAGE: &str = r#"<!doctype html><title>T</title><div id=a class="x y"><p>one<p lang=de-AT>two <b>bold</b></div>
        <ul><li>1<li class=x>2<li>3</ul><form><input name=q checked><input disabled></form><a href="/u?a=1&amp;b">go</a>"#;

    #[test]
    fn selectors_find_what_they_name() {
        let tree = Tree::parse(PAGE).unwrap();
        let check = |selector: &str, expected: &[&str]| {
            let read = Selector::parse(selector).unwrap();
            let found = tree.descendants(0).filter(|id| read.matches(&tree, *id));
            let found: Vec<String> = found.map(|id| tree.text(id).trim().to_owned()).collect();
            assert_eq!(found, expected, "{selector}");
        };
        check("title", &["T"]);
        check("#a > p:first-child, b", &["one", "bold"]);
        check("div.x.y p + p", &["two bold"]);
        check("p ~ p b", &["bold"]);
        check("[lang|=de]", &["two bold"]);
        check("li:nth-child(odd)", &["1", "3"]);
        check("li:nth-child(-n+2)", &["1", "2"]);
        check("li:nth-last-child( 2n + 1 )", &["1", "3"]);
        check("li:not(.x):not(:first-child)", &["3"]);
        check("p:has(b)", &["two bold"]);
        check("p:contains('one')", &["one"]);
        check("a[href^='/u'][href$=b][href*=\"a=1\"]", &["go"]);
        check("LI[class!=x]", &["1", "3"]);
        check("[class=X i]", &["2"]);
        check("html:root > body > ul > li:last-of-type", &["3"]);
        check("input:checked, input:disabled", &["", ""]);
    }

    #[test]
    fn what_is_no_selector_is_said() {
        for wrong in ["", "a >", "a[", "a[b=", "p:nope", ":nth-child(x)", "a,,b", "a)", "]", "a[b='c]"] {
            assert!(Selector::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Selector::parse(&":not(".repeat(1000)).is_err());
    }

    #[test]
    fn a_tree_is_written_as_it_was_read() {
        let tree = Tree::parse("<p a='\"&lt;'>x &lt; y<br><!--c--></p><script>a < b</script>").unwrap();
        let body = Selector::parse("body").unwrap();
        let body = tree.descendants(0).find(|id| body.matches(&tree, *id)).unwrap();
        let expected = "<p a=\"&#34;<\">x &lt; y<br><!--c--></p><script>a < b</script>";
        assert_eq!(inner(&tree, body), expected);
        assert_eq!(outer(&tree, body), format!("<body>{expected}</body>"));
    }

    #[test]
    fn depth_is_no_danger() {
        let tree = Tree::parse(&"<div>".repeat(510)).unwrap();
        assert_eq!(tree.descendants(0).count(), 513);
        assert_eq!(outer(&tree, 0).len(), 510 * 11 + "<html><head></head><body></body></html>".len());
        for element in ["<div>", "<b>", "<svg><g>", "<table><td>"] {
            let said = Tree::parse(&element.repeat(50_000)).unwrap_err();
            assert_eq!(said, "html: open stack of elements exceeds 512 nodes", "{element}");
        }
        // What is wide is not deep.
        assert!(Tree::parse(&"<p><b>x</b>".repeat(20_000)).is_ok());
    }
}
