//! `parlor db check`: whether the databases are as they should be.

use std::process::ExitCode;

use parlor_database::transfer::Component;
use parlor_database::{Database, Fault};

use super::databases::Databases;

pub(super) async fn check(databases: &Databases) -> anyhow::Result<ExitCode> {
    let mut is_sound = true;
    for (name, location, component) in databases.each() {
        println!("{name}: {location}");
        let wrong = match Database::open_as_is(location).await {
            Ok(database) => {
                let wrong = problems(&database, &component).await;
                database.close().await;
                wrong.unwrap_or_else(|fault| vec![fault.to_string()])
            }
            Err(error) => vec![error.to_string()],
        };
        is_sound &= wrong.is_empty();
        wrong.iter().for_each(|problem| println!("  wrong: {problem}"));
        if wrong.is_empty() {
            println!("  nothing is wrong");
        }
    }
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints what is so, returns what is wrong.
async fn problems(database: &Database, component: &Component) -> Result<Vec<String>, Fault> {
    println!("  engine: {}", database.engine().await?);
    let (found, known) =
        (database.schema_version(component.migrations).await?, component.version());
    println!("  schema: {}; this version has {known}", found.unwrap_or_default());
    let mut wrong = Vec::new();
    match database.check().await {
        Ok(()) => println!("  it can be read and written"),
        Err(fault) => wrong.push(fault.to_string()),
    }
    wrong.extend(database.damage().await?);
    if let Some(source) = database.unfinished_copy().await? {
        wrong.push(format!("a copy from {source} was not finished; run `parlor db copy` again"));
    }
    match found {
        Some(found) if found == known => {
            wrong.extend(tables(database, component).await?);
        }
        Some(found) if found > known => {
            wrong.push("a newer version of Parlor wrote it; run that version".to_owned());
        }
        _ => println!("  the next start of a server, or `parlor db migrate`, migrates it"),
    }
    Ok(wrong)
}

async fn tables(database: &Database, component: &Component) -> Result<Vec<String>, Fault> {
    let missing = component.missing(&database.schema().await?);
    if !missing.is_empty() {
        return Ok(vec![format!("not as the schema says: {}", missing.join(", "))]);
    }
    component.broken_rules(database).await
}
