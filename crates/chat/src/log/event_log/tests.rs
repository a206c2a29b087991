//! Text of two turns in one log.

use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::MessageId;
use parlor_storage::BlockKind;
use uuid::Uuid;

use super::*;

fn block(seq: u64) -> TextBlock {
    let message = MessageId::new(Uuid::from_u128(seq.into()));
    TextBlock { seq, message, kind: BlockKind::Text, parts: 0 }
}

/// N-3, P-9: a turn that was taken over while its node was paused goes on streaming until it
/// notices. Its text does not get into the turn that runs now, be that the same one under
/// another epoch.
#[test]
fn text_of_two_turns_does_not_mix() {
    let log = EventLog::new(ConversationId::new(Uuid::nil()), None);
    let turn = |number| TurnId::new(Uuid::from_u128(number));
    let sanitizer = Sanitizer::default();
    let stream = || CleanStream::new(&sanitizer);
    let (old, new) = ((turn(1), 1), (turn(2), 2));
    for new in [new, (turn(1), 3)] {
        log.begin_here(old.1);
        log.open_block(old.0, old.1, block(5));
        let _before = log.push(old, "old ", &mut stream());
        log.begin_here(new.1);
        let taken_over = |result: Result<_, _>| {
            assert!(matches!(result, Err(StorageError::TakenOver)));
        };
        taken_over(log.push(old, "old ", &mut stream()).map(drop));
        log.open_block(old.0, old.1, block(6));
        log.open_block(new.0, new.1, block(9));
        assert!(log.push(new, "new", &mut stream()).is_ok());
        taken_over(log.push(old, "old ", &mut stream()).map(drop));
        taken_over(log.finish(old, stream()));
        taken_over(log.close_block(old).map(drop));
        log.fail(old);
        let delta = log.take_delta().unwrap();
        assert_eq!((delta.turn, delta.raw.as_str()), (new.0, "new"));
        log.delta_stored(&delta, true);
        let closed = log.close_block(new).unwrap().unwrap();
        assert_eq!((closed.block.seq, closed.raw.as_str()), (9, "new"));
    }
}
