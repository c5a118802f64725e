//! A mechanism of the catalogue, whatever its type: what every command draws from.

use alloc::boxed::Box;

use super::{
    Typed, Visitor,
    input::{InputError, ReadInput},
    outcome::{Outcome, ToOutcome},
};
use crate::{
    bits::{Bits, BitsError},
    exact::Pmf,
    guarantee::{DebitError, Domination, Filter, Guarantee, Odometer, Privacy, Relation},
    mechanism::{Private, ReleaseError, SamplerError},
    sample::{Program, Sampler, execute},
};

/// A mechanism of the catalogue: it reads its input from text and releases [`Outcome`]s.
///
/// ```
/// use certus::{bits::seeded, mechanism::from_spec};
///
/// let mechanism = from_spec(&"exponential(epsilon=1, candidates=3)".parse()?)?;
/// let chosen = mechanism.on("-900,900,0")?.draw(&mut seeded([0; 32]))?;
/// assert_eq!(chosen.to_string(), "1");
/// assert!(mechanism.on("1,2").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait AnyMechanism: Send + Sync {
    /// The release on an input.
    ///
    /// # Errors
    ///
    /// If the text is not an input of this mechanism. What the error says depends on the public parameters
    /// alone.
    fn on(&self, input: &str) -> Result<Box<dyn AnyRelease>, InputError>;

    /// What is guaranteed; nothing if nothing is, as for a randomized response that always tells the truth.
    fn privacy(&self) -> Option<Privacy>;

    /// The neighbours that it is guaranteed for; nothing where the spec's sensitivity says it, and whoever
    /// states the sensitivity knows for whom.
    fn relation(&self) -> Option<Relation>;

    /// The pairs that dominate its neighbouring inputs.
    fn domination(&self) -> Domination;

    /// Two neighbouring inputs, at or near the worst that there are: what is certified, and audited, where
    /// nobody names others. The first is also what is sampled on.
    fn neighbours(&self) -> (&str, &str);

    /// Whether these neighbours are known to be the worst that there are.
    fn is_on_the_worst(&self) -> bool;

    /// The probabilities on paper of what is released on an input, to a width of about 2^-precision; nothing
    /// where there is no closed form, where it would take too long to write down, or for what is no input.
    fn closed_form(&self, input: &str, precision: u32) -> Option<Box<dyn Pmf<Outcome>>>;

    /// The same mechanism, by another sampler ([`Private::with_sampler`]).
    ///
    /// # Errors
    ///
    /// If there is no such sampler for it.
    fn with_sampler(self: Box<Self>, sampler: Sampler) -> Result<Box<dyn AnyMechanism>, SamplerError>;

    /// The name of the sampler that draws: `reference`, `prepared` or `fixed`.
    fn sampler(&self) -> &'static str;

    /// What one release costs a budget for neighbours of this relation. What is for add/remove neighbours is
    /// taken as two steps for change-one ones; a stated sensitivity is taken to be for the budget's.
    ///
    /// # Errors
    ///
    /// If it is for change-one neighbours and the budget is not, or it guarantees nothing: then no budget
    /// suffices.
    fn cost(&self, relation: Relation) -> Result<Guarantee, DebitError> {
        let privacy = self.privacy().ok_or(DebitError::Exceeded)?;
        Ok(Guarantee::new(self.relation().unwrap_or(relation), privacy).under(relation)?)
    }

    /// Draws one release that a budget pays for, before anything is drawn.
    ///
    /// # Errors
    ///
    /// If the input is refused or the budget does not suffice, and nothing is spent then; or if the source of
    /// bits fails, which is paid for. Nothing is released in any of these cases.
    fn release_within(
        &self,
        budget: &mut Filter,
        input: &str,
        bits: &mut dyn Bits,
    ) -> Result<Outcome, ReleaseError<InputError>> {
        let release = self.on(input).map_err(ReleaseError::Input)?;
        budget.debit(&self.cost(budget.relation())?)?;
        Ok(release.draw(bits)?)
    }

    /// Draws one release that an odometer counts, before anything is drawn.
    ///
    /// # Errors
    ///
    /// As of [`release_within`](Self::release_within); an odometer suffices for whatever converts to its
    /// kind.
    fn release_counted(
        &self,
        odometer: &mut Odometer,
        input: &str,
        bits: &mut dyn Bits,
    ) -> Result<Outcome, ReleaseError<InputError>> {
        let release = self.on(input).map_err(ReleaseError::Input)?;
        odometer.debit(&self.cost(odometer.relation())?)?;
        Ok(release.draw(bits)?)
    }
}

/// A mechanism on an input.
pub trait AnyRelease: Send + Sync {
    /// Draws one output; it begins the source.
    ///
    /// # Errors
    ///
    /// If the source of bits fails; there is no output then.
    fn draw(&self, bits: &mut dyn Bits) -> Result<Outcome, BitsError>;

    /// Draws outputs, the very ones that [`draw`](Self::draw) draws from the same source; it begins the
    /// source once.
    ///
    /// # Errors
    ///
    /// If the source of bits fails; no more outputs are put then.
    fn draw_each(&self, bits: &mut dyn Bits, count: u64, put: &mut dyn FnMut(Outcome)) -> Result<(), BitsError>;

    /// Draws outputs of the same distribution, as many at a time as is fastest ([`Program::bulk`]).
    ///
    /// # Errors
    ///
    /// If the source of bits fails; no more outputs are put then.
    fn draw_bulk(&self, bits: &mut dyn Bits, count: u64, put: &mut dyn FnMut(Outcome)) -> Result<(), BitsError>;
}

impl<P: Program<Output: ToOutcome>> AnyRelease for P {
    fn draw(&self, bits: &mut dyn Bits) -> Result<Outcome, BitsError> {
        Ok(self.sample(bits)?.to_outcome())
    }

    fn draw_each(&self, bits: &mut dyn Bits, count: u64, put: &mut dyn FnMut(Outcome)) -> Result<(), BitsError> {
        bits.begin()?;
        for _ in 0..count {
            put(execute(self, bits)?.to_outcome());
        }
        Ok(())
    }

    fn draw_bulk(&self, bits: &mut dyn Bits, count: u64, put: &mut dyn FnMut(Outcome)) -> Result<(), BitsError> {
        self.bulk(bits, count, &mut |output| put(output.to_outcome()))
    }
}

impl<M> AnyMechanism for Typed<M>
where
    M: Private<Input: ReadInput, Release: Program<Output: ToOutcome>> + Send + Sync + 'static,
{
    fn on(&self, input: &str) -> Result<Box<dyn AnyRelease>, InputError> {
        Ok(Box::new(Self::on(self, input)?))
    }

    fn privacy(&self) -> Option<Privacy> {
        self.privacy()
    }

    fn relation(&self) -> Option<Relation> {
        self.relation()
    }

    fn domination(&self) -> Domination {
        self.domination()
    }

    fn neighbours(&self) -> (&str, &str) {
        self.neighbours()
    }

    fn is_on_the_worst(&self) -> bool {
        self.is_on_the_worst()
    }

    fn closed_form(&self, input: &str, precision: u32) -> Option<Box<dyn Pmf<Outcome>>> {
        self.closed_form(input, precision)
    }

    fn with_sampler(self: Box<Self>, sampler: Sampler) -> Result<Box<dyn AnyMechanism>, SamplerError> {
        Ok(Box::new(Self::with_sampler(*self, sampler)?))
    }

    fn sampler(&self) -> &'static str {
        self.mechanism().sampler()
    }
}

/// Erases the type.
pub(super) struct Erase;

impl Visitor for Erase {
    type Output = Box<dyn AnyMechanism>;

    fn visit<M>(self, mechanism: Typed<M>) -> Box<dyn AnyMechanism>
    where
        M: Private<Input: ReadInput, Release: Program<Output: ToOutcome>> + Send + Sync + 'static,
    {
        Box::new(mechanism)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bits::{Replay, Tape, seeded},
        exact::Real,
        guarantee::GuaranteeError,
        mechanism::from_spec,
    };

    fn count() -> Box<dyn AnyMechanism> {
        from_spec(&"count(scale=2)".parse().unwrap()).unwrap()
    }

    fn budget() -> Filter {
        Filter::new(Guarantee::pure(Relation::AddRemove, Real::from(1)).unwrap())
    }

    fn spent(n: i64) -> Guarantee {
        Guarantee::pure(Relation::AddRemove, Real::ratio(n, 2)).unwrap()
    }

    /// Two releases at ½, and no third; a refused input is free, and a source that fails is paid for.
    #[test]
    fn a_release_is_paid_for_before_it_is_drawn() {
        let (mechanism, mut budget) = (count(), budget());
        let on = |budget: &mut Filter, input| mechanism.release_within(budget, input, &mut seeded([1; 32]));
        assert!(matches!(on(&mut budget, "nobody's"), Err(ReleaseError::Input(_))));
        assert_eq!(budget.spent(), spent(0));
        assert!(matches!(on(&mut budget, "1,1"), Ok(Outcome::Integer(_))));
        assert_eq!(budget.spent(), spent(1));
        let failed = mechanism.release_within(&mut budget, "1", &mut Replay::new(Tape::default()));
        assert!(matches!(failed, Err(ReleaseError::Bits(_))));
        assert_eq!(budget.spent(), spent(2));
        assert_eq!(on(&mut budget, "1").unwrap_err(), ReleaseError::Budget(DebitError::Exceeded));
    }

    /// A change is two steps, and from change-one to add/remove nothing follows; what guarantees nothing is
    /// paid for by no budget.
    #[test]
    fn what_a_release_costs() {
        assert_eq!(count().cost(Relation::AddRemove), Ok(spent(1)));
        let twice = Guarantee::pure(Relation::ChangeOne, Real::from(1)).unwrap();
        assert_eq!(count().cost(Relation::ChangeOne), Ok(twice));
        let told = from_spec(&"randomized_response(gamma=1/4)".parse().unwrap()).unwrap();
        assert_eq!(told.cost(Relation::AddRemove), Err(GuaranteeError::RelationsDiffer.into()));
        let truth = from_spec(&"randomized_response(p=1)".parse().unwrap()).unwrap();
        let relation = truth.relation().unwrap_or(Relation::ChangeOne);
        assert_eq!(truth.cost(relation), Err(DebitError::Exceeded));
        let mut odometer = Odometer::new(&spent(0));
        for n in 1..4 {
            count().release_counted(&mut odometer, "1", &mut seeded([1; 32])).unwrap();
            assert_eq!(odometer.spent(), spent(n));
        }
    }
}
