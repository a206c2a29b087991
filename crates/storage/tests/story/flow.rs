//! What the model was told (F-1): it only grows, until a person clears it.

use parlor_protocol::Content;
use parlor_storage::*;
use uuid::Uuid;

use crate::scene::{Scene, uuid};

fn run(number: u128, content: Option<Content>) -> ToolRun {
    let label = content.map(|content| RunLabel {
        content,
        is_private: content == Content::Others,
        origin: Some(format!("what {number}")),
    });
    ToolRun {
        id: uuid(number),
        call_id: format!("call-{number}"),
        server: "mail".into(),
        tool: "read".into(),
        status: RunStatus::Started,
        arguments: "{}".into(),
        result: None,
        label,
    }
}

fn finished(number: u128, content: Content, is_withheld: bool) -> RunWrite {
    RunWrite::Move {
        id: uuid(number),
        to: RunStatus::Finished,
        result: Some(
            serde_json::json!({"content": [{"type": "text", "text": number.to_string()}]}),
        ),
        told: Some(Told {
            content,
            is_private: content == Content::Others,
            is_suspicious: is_withheld,
            is_withheld,
        }),
    }
}

/// F-1: whatever is told, withheld, let through, or never comes to an end, in many orders: what
/// others wrote is what the model was told of it, the newest first, and it never becomes less. The
/// choices are those of a counter, so that a failure can be repeated.
#[tokio::test]
async fn what_was_told_only_grows() {
    let scene = Scene::new().await;
    let begun = scene.store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    let (mut expected, mut withheld): (Vec<Uuid>, Vec<u128>) = (Vec::new(), Vec::new());
    let mut own_before_others = Vec::new();
    for number in 0..90_u128 {
        let id = 1_000 + number;
        let choice = number.wrapping_mul(2_654_435_761) >> 7;
        let known = [None, Some(Content::Own), Some(Content::Others)][(choice % 3) as usize];
        let mut runs = vec![RunWrite::Add(run(id, known))];
        match if number < 2 { 1 } else { choice % 5 } {
            // Older versions did not say: then it is of others.
            0 => {
                runs.push(RunWrite::Move {
                    id: uuid(id),
                    to: RunStatus::Finished,
                    result: None,
                    told: None,
                });
                match known {
                    Some(Content::Own) if expected.is_empty() => own_before_others.push(id),
                    Some(Content::Own) => {}
                    _ => expected.push(uuid(id)),
                }
            }
            1 => {
                runs.push(finished(id, Content::Own, false));
                if expected.is_empty() {
                    own_before_others.push(id);
                }
            }
            2 => {
                runs.push(finished(id, Content::Others, false));
                expected.push(uuid(id));
            }
            3 => {
                runs.push(finished(id, Content::Others, true));
                withheld.push(id);
            }
            // It never ends, or a person lets an earlier one through.
            _ => {
                if let Some(earlier) = withheld.pop() {
                    runs.push(finished(earlier, Content::Others, false));
                    expected.push(uuid(earlier));
                }
            }
        }
        let mut commit = scene.commit(begun.epoch, 3);
        commit.step = Step { runs, ..Step::default() };
        commit.now = parlor_protocol::Timestamp(100 + number as i64);
        scene.store.commit(&commit).await.unwrap();

        let told = scene.store.told_results(Path::line(scene.conversation)).await.unwrap();
        assert_eq!(told.count, expected.len() as u64);
        let newest: Vec<Uuid> = expected.iter().rev().take(20).copied().collect();
        assert_eq!(told.of_others.iter().map(|one| one.id).collect::<Vec<_>>(), newest);
        let words = scene.store.words_of_others(Path::line(scene.conversation)).await.unwrap();
        assert_eq!(words.iter().map(|(id, _)| *id).collect::<Vec<_>>(), newest);
        let own = scene.store.calls_before_others(Path::line(scene.conversation)).await.unwrap();
        let own: Vec<String> = own.into_iter().map(|(_, call)| call).collect();
        let calls: Vec<String> = own_before_others.iter().map(|id| format!("call-{id}")).collect();
        assert_eq!(own, calls);
    }
    assert!(expected.len() > 20 && !own_before_others.is_empty(), "the choices show something");
}
