//! Checks the files of a message, each by its bytes (U-9, H-4). A refusal names the file.

use std::sync::Arc;
use std::time::Duration;

use data_encoding::{BASE64, HEXLOWER};
use parlor_agent::Takes;
use parlor_files::pdf::{Answer, Limits};
use parlor_files::{FileError, Kind, file_name, recognise};
use parlor_picture::PictureError;
use parlor_protocol::{ChatRequest, FileAttachment};
use parlor_storage::{FileFacts, StoredFile};
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::MessageFile;
use crate::error::ChatError;
use crate::file_limits::FileLimits;
use crate::images::ImageChecks;
use crate::project::Project;
use crate::read_pdf::NotRead;

/// How long the PDFs of a message may take together.
const READING: Duration = Duration::from_secs(20);

/// The files of a message: those that came with it, after those of an earlier one that it keeps.
pub(crate) async fn of_message(
    checks: &ImageChecks,
    project: &Arc<Project>,
    request: &mut ChatRequest,
    kept: Vec<MessageFile>,
) -> Result<Vec<MessageFile>, ChatError> {
    let limits = project.files;
    let mut files = kept;
    let (image, came) = (request.take_image(), request.files.take().unwrap_or_default());
    let count = files.len() + usize::from(image.is_some()) + came.len();
    if count > limits.count {
        let why = format!("A message takes {} files; please leave some out.", limits.count);
        return Err(ChatError::TooLarge(why));
    }
    if let Some(image) = image {
        let file = checks.check(image, limits.image_bytes).await?;
        files.push(MessageFile { file, is_image: true, is_stored: false });
    }
    let mut decoded = Vec::new();
    let mut total: usize = files.iter().map(|one| one.file.bytes.len()).sum();
    for attachment in came {
        let file = Named::decode(attachment, &limits)?;
        total += file.bytes.len();
        if total > limits.total_bytes {
            let most = size(limits.total_bytes);
            let why = format!("The files are larger than {most} together; please leave some out.");
            return Err(ChatError::TooLarge(why));
        }
        decoded.push(file);
    }
    let deadline = Instant::now() + READING;
    for named in decoded {
        let file = read(checks, project, named, &limits, deadline).await?;
        files.push(MessageFile { file, is_image: false, is_stored: false });
    }
    taken(&files, project.agent.takes(), &limits)?;
    for one in files.iter_mut().filter(|one| !one.is_stored) {
        one.file.facts.suspicious = finding(project, &one.file).await?;
    }
    Ok(files)
}

/// A file with its name.
struct Named {
    name: String,
    bytes: Vec<u8>,
    kind: Kind,
}

impl Named {
    fn decode(attachment: FileAttachment, limits: &FileLimits) -> Result<Self, ChatError> {
        let name = file_name(&attachment.name);
        let too_large = |most: usize| {
            let why = format!("“{name}” is larger than {}; please send a smaller one.", size(most));
            ChatError::TooLarge(why)
        };
        let most = limits.file_bytes.max(limits.image_bytes);
        // Four characters of base64 are three bytes; nothing larger is decoded.
        if attachment.data.len() / 4 * 3 > most + 3 {
            return Err(too_large(most));
        }
        let bytes = BASE64.decode(attachment.data.as_bytes()).map_err(|_| {
            let why = format!("“{name}” is not valid base64 (send it without a prefix).");
            ChatError::BadFile(why)
        })?;
        let kind = recognise(&name, &bytes).map_err(|error| refused(&name, &error))?;
        let most = match kind {
            Kind::Picture(_) => limits.image_bytes,
            Kind::Pdf | Kind::Text(_) => limits.file_bytes,
        };
        if bytes.len() > most {
            return Err(too_large(most));
        }
        Ok(Self { name, bytes, kind })
    }
}

/// Reads what is in a file.
async fn read(
    checks: &ImageChecks,
    project: &Project,
    Named { name, mut bytes, kind }: Named,
    limits: &FileLimits,
    deadline: Instant,
) -> Result<StoredFile, ChatError> {
    let mut facts = FileFacts::default();
    match kind {
        Kind::Picture(_) => {
            let checked = checks.decode(bytes).await;
            bytes = checked.map_err(|error| refused(&name, &error.into()))?;
        }
        Kind::Pdf => {
            let within = Limits { pages: limits.pdf_pages, chars: limits.text_chars };
            let reading = timeout_at(deadline, project.pdf.read(&bytes, within)).await;
            let answer = reading.unwrap_or(Err(NotRead::Stopped));
            (facts.pages, facts.text, facts.text_only) = of_pdf(&name, answer, limits)?;
        }
        Kind::Text(_) => {}
    }
    facts.hash = Some(HEXLOWER.encode(&Sha256::digest(&bytes)));
    facts.name = Some(name);
    let media_type = kind.media_type().to_owned();
    Ok(StoredFile { id: Uuid::now_v7(), media_type, bytes, facts })
}

/// Pages and text of a PDF, and whether only its text goes to a model.
fn of_pdf(
    name: &str,
    answer: Result<Answer, NotRead>,
    limits: &FileLimits,
) -> Result<(Option<u32>, Option<String>, bool), ChatError> {
    let bad = |why: String| Err(ChatError::BadFile(format!("“{name}” cannot be read: {why}.")));
    match answer {
        Ok(Answer::Text { pages, text, protected }) => {
            Ok((u32::try_from(pages).ok(), Some(text), protected))
        }
        Ok(Answer::Encrypted) => bad("it needs a password; please send it without one".to_owned()),
        Ok(Answer::Damaged) => bad("it is damaged, or no PDF".to_owned()),
        Ok(Answer::TooManyPages { pages }) => Err(ChatError::TooLarge(format!(
            "“{name}” has {pages} pages, and {} are taken; please send a part of it.",
            limits.pdf_pages
        ))),
        Ok(Answer::TooMuchText) => Err(too_much_text(limits)),
        Err(NotRead::Stopped) => bad(NotRead::Stopped.to_string()),
        Err(NotRead::NotStarted(why)) => {
            tracing::error!(%why, "the process that reads PDFs cannot be started");
            Err(ChatError::Unavailable("The server cannot read PDFs right now.".to_owned()))
        }
    }
}

/// Whether the agent can take all of them.
fn taken(files: &[MessageFile], takes: Takes, limits: &FileLimits) -> Result<(), ChatError> {
    let mut chars = 0;
    for MessageFile { file, .. } in files {
        let name = file.facts.name.as_deref().unwrap_or("picture");
        if file.is_picture() && !takes.pictures {
            let why = format!("“{name}” is a picture, and the model here reads no pictures.");
            return Err(ChatError::FileType(why));
        }
        let is_empty = file.text().is_some_and(|text| text.trim().is_empty());
        let as_it_is = takes.pdf && !file.facts.text_only;
        if file.facts.pages.is_some() && is_empty && !as_it_is {
            let why = format!(
                "“{name}” holds no text (it may be a scan), and the model here reads only the text \
                 of a PDF. Please send its pages as pictures."
            );
            return Err(ChatError::BadFile(why));
        }
        chars += file.text().map_or(0, |text| text.chars().count());
    }
    if chars > limits.text_chars { Err(too_much_text(limits)) } else { Ok(()) }
}

fn too_much_text(limits: &FileLimits) -> ChatError {
    let most = limits.text_chars;
    let why = format!("The files hold more than {most} characters of text; please send a part.");
    ChatError::TooLarge(why)
}

/// The guardrail's rule that the name or the text of a file matches, as a document (G-8).
async fn finding(project: &Arc<Project>, file: &StoredFile) -> Result<Option<String>, ChatError> {
    let Some(name) = file.facts.name.as_deref() else { return Ok(None) };
    let text = format!("{name}\n{}", file.text().unwrap_or_default());
    let project = Arc::clone(project);
    let judged = tokio::task::spawn_blocking(move || project.guardrail.check_document(&text).1);
    let finding = judged.await.map_err(|_| ChatError::Internal)?;
    let rule = finding.map(|finding| finding.rule.to_string());
    if let Some(rule) = &rule {
        tracing::warn!(%rule, file = %file.id, "a file looks like an injection");
    }
    Ok(rule)
}

fn refused(name: &str, error: &FileError) -> ChatError {
    match error {
        FileError::OtherKind => ChatError::FileType(format!("“{name}” is not taken: {error}.")),
        FileError::Picture(PictureError::TooManyPixels { .. }) => {
            ChatError::TooLarge(format!("“{name}” is too large: {error}."))
        }
        FileError::Empty | FileError::Picture(_) => {
            ChatError::BadFile(format!("“{name}” cannot be read: {error}."))
        }
    }
}

fn size(bytes: usize) -> String {
    match bytes >> 20 {
        0 => format!("{} KB", bytes >> 10),
        megabytes => format!("{megabytes} MB"),
    }
}
