//! A linear support vector machine with squared hinge loss, by dual coordinate descent.
//!
//! Deterministic: the order of the examples comes from a fixed seed. See Hsieh et al., "A dual
//! coordinate descent method for large-scale linear SVM" (2008).

/// One window of a text as the solver sees it.
pub(crate) struct Vector {
    /// Places in the table and their values; the length of the whole is one, or nearly.
    pub(crate) parts: Vec<(u32, f32)>,
    pub(crate) attack: bool,
    /// What an error on it costs.
    pub(crate) cost: f64,
}

/// Weights and a bias.
pub(crate) struct Model {
    pub(crate) weights: Vec<f64>,
    pub(crate) bias: f64,
}

const ROUNDS: usize = 60;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Trains on the vectors; `kept` says which places of the table may have a weight.
pub(crate) fn train(vectors: &[&Vector], kept: &[bool]) -> Model {
    let mut model = Model { weights: vec![0.0; kept.len()], bias: 0.0 };
    let mut alphas = vec![0.0_f64; vectors.len()];
    let squares: Vec<f64> = vectors.iter().map(|vector| 1.0 + square(vector, kept)).collect();
    let mut order: Vec<usize> = (0..vectors.len()).collect();
    let mut random = SEED;
    for _ in 0..ROUNDS {
        shuffle(&mut order, &mut random);
        let mut largest = 0.0_f64;
        for &index in &order {
            let vector = vectors[index];
            let sign = if vector.attack { 1.0 } else { -1.0 };
            let slack = 1.0 / (2.0 * vector.cost);
            let gradient = sign * model.margin(vector, kept) - 1.0 + slack * alphas[index];
            let old = alphas[index];
            alphas[index] = (old - gradient / (squares[index] + slack)).max(0.0);
            let step = (alphas[index] - old) * sign;
            if step != 0.0 {
                model.add(vector, kept, step);
                largest = largest.max(step.abs());
            }
        }
        if largest < 1e-3 {
            break;
        }
    }
    model
}

impl Model {
    pub(crate) fn margin(&self, vector: &Vector, kept: &[bool]) -> f64 {
        let parts = vector.parts.iter().filter(|(place, _)| kept[*place as usize]);
        self.bias + parts.map(|(at, v)| self.weights[*at as usize] * f64::from(*v)).sum::<f64>()
    }

    fn add(&mut self, vector: &Vector, kept: &[bool], step: f64) {
        self.bias += step;
        for (place, value) in vector.parts.iter().filter(|(place, _)| kept[*place as usize]) {
            self.weights[*place as usize] += step * f64::from(*value);
        }
    }
}

fn square(vector: &Vector, kept: &[bool]) -> f64 {
    let parts = vector.parts.iter().filter(|(place, _)| kept[*place as usize]);
    parts.map(|(_, value)| f64::from(*value) * f64::from(*value)).sum()
}

fn shuffle(order: &mut [usize], random: &mut u64) {
    for index in (1..order.len()).rev() {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        order.swap(index, (*random % (index as u64 + 1)) as usize);
    }
}
