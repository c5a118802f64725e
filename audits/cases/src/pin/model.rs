//! A word-level LSTM (Hochreiter and Schmidhuber 1997) whose gradients come one per sentence.

use candle_core::{D, DType, Device, Tensor, Var};
use candle_nn::ops::{log_softmax, sigmoid};
use certus::bits::Bits;

use super::corpus::BOUNDARY;
use crate::{CaseError, random::uniform};

/// The sizes of the model.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Words.
    pub vocabulary: usize,
    /// Numbers that stand for a word.
    pub embedding: usize,
    /// Numbers that the model remembers.
    pub hidden: usize,
}

impl Sizes {
    /// The shapes of its weights: of words; of the four gates by word, by memory, and alone; of the next word, and alone.
    fn shapes(&self) -> [[usize; 2]; 6] {
        let Self { vocabulary: v, embedding: e, hidden: h } = *self;
        [[v, e], [e, 4 * h], [h, 4 * h], [1, 4 * h], [h, v], [1, v]]
    }

    /// How many weights there are.
    pub fn weights(&self) -> usize {
        self.shapes().iter().map(|[rows, columns]| rows * columns).sum()
    }

    /// Weights uniform in ±1/√rows; the gates' own are 0, but for 1 where a gate forgets (Jozefowicz et al. 2015).
    pub fn draw(&self, bits: &mut impl Bits) -> Result<Vec<f64>, CaseError> {
        let mut weights = Vec::with_capacity(self.weights());
        for (index, [rows, columns]) in self.shapes().into_iter().enumerate() {
            let range = if index == 0 { 0.1 } else { 1.0 / (rows as f64).sqrt() };
            for column in 0..rows * columns {
                let is_forget = index == 3 && column / self.hidden == 1;
                let drawn = range * (2.0 * uniform(bits)? - 1.0);
                weights.push(if rows > 1 { drawn } else { f64::from(u8::from(is_forget)) });
            }
        }
        Ok(weights)
    }
}

/// What the model says of some sentences.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The mean over a sentence's words, its end included, of −ln q(word | the words before it).
    pub losses: Vec<f64>,
    /// Its gradient, a sentence a row. Empty where none was asked for.
    pub gradients: Vec<Vec<f64>>,
}

/// Tensors of fewer numbers are not shared among threads by candle, whose threads wait for each other in a loop:
/// on a machine that has other work, that takes a hundred times as long.
const ALONE: usize = 1 << 16;

/// The loss of each sentence, with its gradient: of so many together that no matrix is shared among threads.
pub fn losses(sizes: &Sizes, weights: &[f64], sentences: &[&[u32]], wants_gradients: bool) -> Result<Loss, CaseError> {
    let largest = sizes.shapes().into_iter().map(|[rows, columns]| rows * columns).max().unwrap_or(1);
    let mut all = Loss { losses: Vec::new(), gradients: Vec::new() };
    for some in sentences.chunks(((ALONE - 1) / largest.max(1)).max(1)) {
        let Loss { losses, gradients } = losses_together(sizes, weights, some, wants_gradients)?;
        all.losses.extend(losses);
        all.gradients.extend(gradients);
    }
    Ok(all)
}

/// The loss of each sentence, with its gradient.
///
/// The trick: every sentence has a copy of the weights to itself, so that the gradient of the *sum* of losses with respect to a sentence's copy is that
/// sentence's own gradient. All arithmetic is in doubles and on one thread, in one order.
fn losses_together(
    sizes: &Sizes,
    weights: &[f64],
    sentences: &[&[u32]],
    wants_gradients: bool,
) -> Result<Loss, CaseError> {
    let copies = sentences.len();
    if copies == 0 {
        return Ok(Loss { losses: Vec::new(), gradients: Vec::new() });
    }
    let copied = matrices(sizes, weights)?.into_iter().map(|one| Var::from_tensor(&one.repeat((copies, 1, 1))?));
    let variables = copied.collect::<Result<Vec<_>, _>>()?;
    let losses = forward(sizes, &variables, sentences)?;
    let mut gradients = Vec::new();
    if wants_gradients {
        let store = losses.sum_all()?.backward()?;
        gradients = vec![Vec::with_capacity(weights.len()); copies];
        for variable in &variables {
            let missing = || CaseError::Refused("a weight has no gradient".into());
            let rows = store.get(variable).ok_or_else(missing)?.flatten_from(1)?.to_vec2::<f64>()?;
            for (gradient, row) in gradients.iter_mut().zip(rows) {
                gradient.extend(row);
            }
        }
    }
    Ok(Loss { losses: losses.to_vec1()?, gradients })
}

/// What the model remembers: a matrix a copy of the weights, a row a text.
#[derive(Clone, Debug)]
struct State {
    memory: Tensor,
    cell: Tensor,
}

impl State {
    fn start(copies: usize, rows: usize, sizes: &Sizes) -> Result<Self, CaseError> {
        let memory = Tensor::zeros((copies, rows, sizes.hidden), DType::F64, &Device::Cpu)?;
        Ok(Self { cell: memory.clone(), memory })
    }

    /// One step, `driven` by the gates' inputs from the word.
    fn next(&self, driven: &Tensor, by_memory: &Tensor, sizes: &Sizes) -> Result<Self, CaseError> {
        let all = (driven + self.memory.matmul(by_memory)?)?;
        let gate = |index: usize| all.narrow(D::Minus1, index * sizes.hidden, sizes.hidden);
        let (admit, forget, emit) = (sigmoid(&gate(0)?)?, sigmoid(&gate(1)?)?, sigmoid(&gate(3)?)?);
        let cell = ((forget * &self.cell)? + (admit * gate(2)?.tanh()?)?)?;
        Ok(Self { memory: (emit * cell.tanh()?)?, cell })
    }
}

/// The loss of sentence i under copy i of the weights.
fn forward(sizes: &Sizes, matrices: &[Var], sentences: &[&[u32]]) -> Result<Tensor, CaseError> {
    let [words, by_word, by_memory, gates, by_output, output] = matrices else {
        return Err(CaseError::Refused("a model has six matrices".into()));
    };
    let copies = sentences.len();
    let length = sentences.iter().map(|sentence| sentence.len() + 1).max().unwrap_or(1);
    // Inputs are ". w1 … wn", outputs "w1 … wn ."; what is past the end weighs nothing.
    let (mut inputs, mut outputs, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for sentence in sentences {
        let share = 1.0 / (sentence.len() + 1) as f64;
        let word = |place: usize| sentence.get(place).copied().unwrap_or(BOUNDARY);
        for place in 0..length {
            inputs.push(if place == 0 { BOUNDARY } else { word(place - 1) });
            outputs.push(word(place));
            shares.push(if place <= sentence.len() { share } else { 0.0 });
        }
    }
    let inputs = Tensor::from_vec(inputs, (copies, length, 1), &Device::Cpu)?;
    let inputs = inputs.broadcast_as((copies, length, sizes.embedding))?.contiguous()?;
    let driven = words.gather(&inputs, 1)?.matmul(by_word)?.broadcast_add(gates)?;
    let mut state = State::start(copies, 1, sizes)?;
    let mut memories = Vec::with_capacity(length);
    for place in 0..length {
        state = state.next(&driven.narrow(1, place, 1)?, by_memory, sizes)?;
        memories.push(state.memory.clone());
    }
    let scores = Tensor::cat(&memories, 1)?.matmul(by_output)?.broadcast_add(output)?;
    let outputs = Tensor::from_vec(outputs, (copies, length, 1), &Device::Cpu)?;
    let shares = Tensor::from_vec(shares, (copies, length), &Device::Cpu)?;
    let chosen = log_softmax(&scores, D::Minus1)?.gather(&outputs, D::Minus1)?.squeeze(D::Minus1)?;
    Ok((chosen * shares)?.sum(1)?.neg()?)
}

/// A trained model, which reads texts word by word and says what it expects next.
#[derive(Debug)]
pub struct Reader {
    sizes: Sizes,
    matrices: Vec<Tensor>,
}

/// Texts that have been read so far.
#[derive(Clone, Debug)]
pub struct Reading {
    state: State,
    /// ln q(word | text), a text a row.
    pub expects: Vec<Vec<f64>>,
}

impl Reader {
    /// The model of these weights.
    pub fn new(sizes: &Sizes, weights: &[f64]) -> Result<Self, CaseError> {
        Ok(Self { sizes: *sizes, matrices: matrices(sizes, weights)? })
    }

    /// What it expects at the beginning of a sentence.
    pub fn start(&self) -> Result<Reading, CaseError> {
        self.step(&State::start(1, 1, &self.sizes)?, &[BOUNDARY])
    }

    /// Texts that each go on from one that was read: (which one, the word).
    pub fn read(&self, before: &Reading, next: &[(u32, u32)]) -> Result<Reading, CaseError> {
        let rows = Tensor::from_vec(next.iter().map(|(row, _)| *row).collect::<Vec<_>>(), next.len(), &Device::Cpu)?;
        let of = |tensor: &Tensor| tensor.index_select(&rows, 1);
        let state = State { memory: of(&before.state.memory)?, cell: of(&before.state.cell)? };
        let words: Vec<u32> = next.iter().map(|(_, word)| *word).collect();
        self.step(&state, &words)
    }

    fn step(&self, state: &State, next: &[u32]) -> Result<Reading, CaseError> {
        let [words, by_word, by_memory, gates, by_output, output] = self.matrices.as_slice() else {
            return Err(CaseError::Refused("a model has six matrices".into()));
        };
        let next = Tensor::from_slice(next, next.len(), &Device::Cpu)?;
        let driven = words.index_select(&next, 1)?.matmul(by_word)?.broadcast_add(gates)?;
        let state = state.next(&driven, by_memory, &self.sizes)?;
        let scores = state.memory.matmul(by_output)?.broadcast_add(output)?;
        Ok(Reading { expects: log_softmax(&scores, D::Minus1)?.squeeze(0)?.to_vec2()?, state })
    }
}

/// The weights as one matrix each.
fn matrices(sizes: &Sizes, weights: &[f64]) -> Result<Vec<Tensor>, CaseError> {
    let mut rest = weights;
    let mut matrices = Vec::with_capacity(6);
    for [rows, columns] in sizes.shapes() {
        let (these, others) = rest.split_at_checked(rows * columns).unwrap_or((rest, &[]));
        rest = others;
        matrices.push(Tensor::from_slice(these, (1, rows, columns), &Device::Cpu)?);
    }
    Ok(matrices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    fn small() -> (Sizes, Vec<f64>) {
        let sizes = Sizes { vocabulary: 7, embedding: 3, hidden: 4 };
        let weights = sizes.draw(&mut random::bits(5, "weights", 0)).unwrap();
        (sizes, weights)
    }

    /// Each row against central differences of that sentence's loss alone.
    #[test]
    fn gradients_are_those_of_single_sentences() {
        let (sizes, weights) = small();
        let sentences: [&[u32]; 3] = [&[1, 2, 3], &[4], &[5, 6, 1, 1, 2]];
        let together = losses(&sizes, &weights, &sentences, true).unwrap();
        assert_eq!(weights.len(), sizes.weights());
        for (index, sentence) in sentences.iter().enumerate() {
            let alone = |weights: &[f64]| losses(&sizes, weights, &[sentence], false).unwrap().losses[0];
            assert!((alone(&weights) - together.losses[index]).abs() < 1e-12);
            assert_eq!(together.gradients[index].len(), weights.len());
            for place in (0..weights.len()).step_by(3) {
                let moved = |by: f64| {
                    let mut moved = weights.clone();
                    moved[place] += by;
                    alone(&moved)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - together.gradients[index][place]).abs() < 1e-8, "{index} {place}");
            }
        }
    }

    /// Word by word it expects what it was trained to expect.
    #[test]
    fn reading_agrees_with_the_loss() {
        let (sizes, weights) = small();
        let reader = Reader::new(&sizes, &weights).unwrap();
        let start = reader.start().unwrap();
        let first = reader.read(&start, &[(0, 2), (0, 5)]).unwrap();
        let second = reader.read(&first, &[(1, 3), (0, 4), (1, 6)]).unwrap();
        // The text "5 6" is row 2: by way of row 1.
        let read = -(start.expects[0][5] + first.expects[1][6] + second.expects[2][0]) / 3.0;
        let expected = losses(&sizes, &weights, &[&[5, 6]], false).unwrap().losses[0];
        assert!((read - expected).abs() < 1e-12, "{read} {expected}");
    }
}
