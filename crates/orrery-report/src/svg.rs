//! The canvas on which charts are drawn: SVG elements with classes in place of colours, coordinates in tenths of a unit.

use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::rc::Rc;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontTransform,
};

/// Coordinates are whole numbers of tenths, so that curves are smooth.
pub(super) const TENTHS: i32 = 10;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// SVG elements as they are drawn. What is drawn in colour (n, 0, 0) gets the n-th class.
#[derive(Clone)]
pub(super) struct Canvas {
    size: (u32, u32),
    classes: &'static [&'static str],
    text: Rc<RefCell<String>>,
}

impl Canvas {
    /// An empty canvas of so many units.
    pub(super) fn new(width: u32, height: u32, classes: &'static [&'static str]) -> Self {
        let tenths = TENTHS as u32;
        Self { size: (width * tenths, height * tenths), classes, text: Rc::default() }
    }

    /// What has been drawn.
    pub(super) fn drawn(&self) -> String {
        self.text.borrow().clone()
    }

    /// Adds an element.
    pub(super) fn put(&self, element: &str) {
        self.text.borrow_mut().push_str(element);
    }

    fn class(&self, color: BackendColor) -> &'static str {
        self.classes.get(usize::from(color.rgb.0)).copied().unwrap_or_default()
    }
}

/// A coordinate in units: `12.5`.
pub(super) fn units(tenths: i32) -> String {
    let value = f64::from(tenths) / f64::from(TENTHS);
    format!("{value}")
}

/// Text with the characters that mean something in SVG and HTML replaced.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl DrawingBackend for Canvas {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Drawn {
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let mut data = String::new();
        for (place, (x, y)) in path.into_iter().enumerate() {
            let _ = write!(data, "{}{} {}", if place == 0 { "M" } else { "L" }, units(x), units(y));
        }
        self.put(&format!("<path class=\"{}\" d=\"{data}\"/>\n", self.class(style.color())));
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, position: BackendCoord) -> Drawn {
        let (x, y) = (units(position.0), units(position.1));
        let anchor = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        let shift = match style.anchor().v_pos {
            VPos::Top => ".75em",
            VPos::Center => ".33em",
            VPos::Bottom => "-.35em",
        };
        let turn = match style.transform() {
            FontTransform::None => String::new(),
            FontTransform::Rotate90 => format!(" transform=\"rotate(90 {x} {y})\""),
            FontTransform::Rotate180 => format!(" transform=\"rotate(180 {x} {y})\""),
            FontTransform::Rotate270 => format!(" transform=\"rotate(270 {x} {y})\""),
        };
        let class = self.class(style.color());
        let text = escape(text);
        self.put(&format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" dy=\"{shift}\" text-anchor=\"{anchor}\"{turn}>{text}</text>\n"
        ));
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let height = style.size();
        Ok(((height * 0.55 * text.chars().count() as f64) as u32, height as u32))
    }
}
