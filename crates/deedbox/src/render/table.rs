//! Tables for people.

use comfy_table::{Attribute, Cell, ContentArrangement, Table};

use super::Output;

/// Draws rows below a header. Cells are shown as they are: texts of strangers must have gone through
/// [`super::cell`] before.
pub(crate) fn table(output: &Output, header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(comfy_table::presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(
            header
                .iter()
                .map(|name| Cell::new(name).add_attribute(Attribute::Bold)),
        )
        .add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    if output.paint.on() {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.trim_fmt()
}
