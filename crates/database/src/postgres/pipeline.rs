//! Sends all statements of a write before it waits for the first answer: one round trip.
//!
//! 1. Prepare each statement, which is a round trip only the first time on a connection.
//! 2. Send `BEGIN`, the statements and `COMMIT`. If one fails, the server ignores those
//!    after it, and `COMMIT` rolls back.
//! 3. Wait for the answers in order; the first error is the cause.
//!
//! A claim must be decided inside the pipeline too: its statement is made to fail if it
//! changes no row.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use deadpool_postgres::ClientWrapper;
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Statement};

use super::parameters::Parameter;
use crate::batch::{self, Batch, Guard};
use crate::fault::Fault;

/// A statement that the connection knows, with its values.
pub(super) struct Prepared {
    statement: Statement,
    parameters: Vec<Parameter>,
}

/// Prepares the statements of a batch.
pub(super) async fn prepare(client: &ClientWrapper, batch: Batch) -> Result<Vec<Prepared>, Fault> {
    let claims = batch.claims;
    let mut prepared = Vec::with_capacity(batch.statements.len());
    for (number, statement) in batch.statements.into_iter().enumerate() {
        let (mut sql, parameters) = with_parameters(statement);
        if claims && number == 0 {
            sql = claim(&sql);
        }
        let types: Vec<Type> = parameters.iter().map(Parameter::type_of).collect();
        let statement = client.prepare_typed_cached(&sql, &types).await?;
        prepared.push(Prepared { statement, parameters });
    }
    Ok(prepared)
}

/// Runs prepared statements in one round trip, between `BEGIN` and `COMMIT` if they are a
/// transaction of their own.
pub(super) async fn run(
    client: &ClientWrapper,
    prepared: &[Prepared],
    transaction: bool,
) -> Result<(), Fault> {
    let mut requests: Vec<Request<'_>> = Vec::with_capacity(prepared.len() + 2);
    if transaction {
        requests.push(Box::pin(client.batch_execute("BEGIN")));
    }
    for Prepared { statement, parameters } in prepared {
        requests.push(Box::pin(async move {
            client.execute_raw(statement, parameters).await.map(drop)
        }));
    }
    if transaction {
        requests.push(Box::pin(client.batch_execute("COMMIT")));
    }
    first_error(requests).await
}

type Request<'c> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'c>>;

/// Sends every request, then waits for all answers. A request is sent when it is polled
/// for the first time.
async fn first_error(requests: Vec<Request<'_>>) -> Result<(), Fault> {
    let mut sent = Vec::with_capacity(requests.len());
    for mut request in requests {
        let answer = poll_fn(|context| Poll::Ready(request.as_mut().poll(context))).await;
        sent.push((request, answer));
    }
    let mut first = Ok(());
    for (request, answer) in sent {
        let answer = match answer {
            Poll::Ready(answer) => answer,
            Poll::Pending => request.await,
        };
        if let Err(error) = answer
            && first.is_ok()
        {
            first = Err(error);
        }
    }
    first.map_err(|error| match is_failed_claim(&error) {
        true => Fault::NotClaimed,
        false => error.into(),
    })
}

/// The text and parameters of a statement. Any number of rows is one statement: each
/// column is an array.
fn with_parameters(statement: batch::Statement) -> (String, Vec<Parameter>) {
    let Some(rows) = statement.rows else {
        let parameters = statement.values.into_iter().map(Parameter::one).collect();
        return (statement.sql.into_owned(), parameters);
    };
    let columns = statement.values.len() / rows.max(1);
    let mut by_column: Vec<Vec<_>> = (0..columns).map(|_| Vec::with_capacity(rows)).collect();
    for (number, value) in statement.values.into_iter().enumerate() {
        if let Some(column) = by_column.get_mut(number % columns.max(1)) {
            column.push(value);
        }
    }
    let numbers: Vec<String> = (1..=columns).map(|number| format!("${number}")).collect();
    let (into, numbers, end) = (statement.sql, numbers.join(", "), statement.end);
    let select = match statement.guard {
        None => format!("SELECT * FROM unnest({numbers})"),
        Some(guard) => select_guarded(&numbers, columns, guard),
    };
    let sql = format!("INSERT INTO {into} {select}{end}");
    (sql, by_column.into_iter().map(Parameter::column).collect())
}

/// The rows that the guard matches. Their guards stay as they are until the end of the
/// transaction: whoever changes one takes `FOR UPDATE` first, and waits.
fn select_guarded(numbers: &str, columns: usize, guard: Guard) -> String {
    let names: Vec<String> = (1..=columns).map(|number| format!("v{number}")).collect();
    let Guard { table, key, column } = guard;
    let inserted: Vec<String> =
        names.iter().take(columns.saturating_sub(1)).map(|name| format!("r.{name}")).collect();
    format!(
        "SELECT {} FROM unnest({numbers}) AS r({}) JOIN {table} g ON g.{key} = r.v1 \
         AND g.{column} = r.v{columns} FOR KEY SHARE OF g",
        inserted.join(", "),
        names.join(", ")
    )
}

/// A statement that divides by zero if `sql` changes no row.
fn claim(sql: &str) -> String {
    format!("WITH claimed AS ({sql} RETURNING 1) SELECT 1 / COUNT(*) FROM claimed")
}

/// No other statement divides.
fn is_failed_claim(error: &Error) -> bool {
    error.code() == Some(&tokio_postgres::error::SqlState::DIVISION_BY_ZERO)
}
