use std::ops::Range;

use crate::element::Element;

/// A matrix in other memory; transposition exchanges its strides.
#[derive(Debug, Clone, Copy)]
pub struct View<'a, E> {
    data: &'a [E],
    pub rows: usize,
    pub columns: usize,
    row_stride: usize,
    column_stride: usize,
}

/// A matrix in other memory that can be written.
#[derive(Debug)]
pub struct ViewMut<'a, E> {
    data: &'a mut [E],
    pub rows: usize,
    pub columns: usize,
    row_stride: usize,
    column_stride: usize,
}

/// A matrix in its own memory, stored by columns.
#[derive(Debug)]
pub struct Matrix<E> {
    data: Vec<E>,
    rows: usize,
    columns: usize,
}

/// The place of the first element of a part of a matrix in its data, at most `length`, so that an
/// empty part is within the data.
fn begin(length: usize, rows: &Range<usize>, columns: &Range<usize>, strides: [usize; 2]) -> usize {
    (rows.start * strides[0] + columns.start * strides[1]).min(length)
}

impl<'a, E: Element> View<'a, E> {
    /// A matrix that is stored by columns.
    pub fn new(data: &'a [E], rows: usize, columns: usize) -> Self {
        Self { data, rows, columns, row_stride: 1, column_stride: rows }
    }

    /// The element of a row and a column.
    pub fn at(&self, row: usize, column: usize) -> E {
        self.data[row * self.row_stride + column * self.column_stride]
    }

    /// The transposed matrix in the same memory.
    pub fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    /// The elements of a column of a matrix that is stored by columns.
    pub fn column(&self, column: usize) -> &'a [E] {
        &self.data[column * self.column_stride..][..self.rows]
    }

    /// Some rows and columns, in the same memory.
    pub fn part(self, rows: Range<usize>, columns: Range<usize>) -> Self {
        let from = begin(self.data.len(), &rows, &columns, [self.row_stride, self.column_stride]);
        Self { data: &self.data[from..], rows: rows.len(), columns: columns.len(), ..self }
    }
}

impl<'a, E: Element> ViewMut<'a, E> {
    /// A matrix that is stored by columns.
    pub fn new(data: &'a mut [E], rows: usize, columns: usize) -> Self {
        Self { data, rows, columns, row_stride: 1, column_stride: rows }
    }

    /// The matrix for reading.
    pub fn view(&self) -> View<'_, E> {
        let Self { rows, columns, row_stride, column_stride, .. } = *self;
        View { data: self.data, rows, columns, row_stride, column_stride }
    }

    /// The element of a row and a column, for writing.
    pub fn at(&mut self, row: usize, column: usize) -> &mut E {
        &mut self.data[row * self.row_stride + column * self.column_stride]
    }

    /// The transposed matrix in the same memory.
    pub fn transposed(&mut self) -> ViewMut<'_, E> {
        ViewMut {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
        }
    }

    /// Some rows and columns, in the same memory.
    pub fn part(&mut self, rows: Range<usize>, columns: Range<usize>) -> ViewMut<'_, E> {
        let Self { row_stride, column_stride, .. } = *self;
        let from = begin(self.data.len(), &rows, &columns, [row_stride, column_stride]);
        ViewMut {
            data: &mut self.data[from..],
            rows: rows.len(),
            columns: columns.len(),
            row_stride,
            column_stride,
        }
    }

    /// Returns true if the elements of a column are consecutive.
    pub fn is_by_columns(&self) -> bool {
        self.row_stride == 1
    }

    /// Consecutive elements of a column of a matrix that is stored by columns.
    pub fn column(&mut self, rows: Range<usize>, column: usize) -> &mut [E] {
        let begin = column * self.column_stride;
        &mut self.data[begin + rows.start..begin + rows.end]
    }

    /// Copies all elements of a matrix of the same size to this one.
    pub fn write(&mut self, other: &Matrix<E>) {
        for column in 0..self.columns {
            for row in 0..self.rows {
                *self.at(row, column) = other.view().at(row, column);
            }
        }
    }
}

impl<E: Element> Matrix<E> {
    /// A matrix of zeros.
    pub fn zero(rows: usize, columns: usize) -> Self {
        Self { data: vec![E::default(); rows * columns], rows, columns }
    }

    /// A copy of a matrix.
    pub fn copy(view: View<E>) -> Self {
        Self::map(view, |element| element)
    }

    /// The results of a function of each element.
    pub fn map(view: View<E>, function: impl Fn(E) -> E) -> Self {
        Self::map_at(view, |_, _, element| function(element))
    }

    /// The results of a function of row, column and element.
    pub fn map_at(view: View<E>, function: impl Fn(usize, usize, E) -> E) -> Self {
        let place = |column| (0..view.rows).map(move |row| (row, column));
        let data = (0..view.columns)
            .flat_map(place)
            .map(|(row, column)| function(row, column, view.at(row, column)));
        Self { data: data.collect(), rows: view.rows, columns: view.columns }
    }

    /// The matrix for reading.
    pub fn view(&self) -> View<'_, E> {
        View::new(&self.data, self.rows, self.columns)
    }

    /// The matrix for writing.
    pub fn view_mut(&mut self) -> ViewMut<'_, E> {
        ViewMut::new(&mut self.data, self.rows, self.columns)
    }
}
