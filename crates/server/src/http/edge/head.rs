//! Limits on the head of a request. The HTTP library has a limit too, but only a rough
//! one: it checks it after reading a whole buffer.

use axum::extract::Request;

use crate::http::errors::ApiError;

/// One header, its name included.
const MAX_HEADER: usize = 16 << 10;
/// All headers.
const MAX_HEADERS: usize = 32 << 10;
/// Path and query.
const MAX_ADDRESS: usize = 8 << 10;

/// Refuses a head beyond the limits.
pub(super) fn check(request: &Request) -> Result<(), ApiError> {
    let uri = request.uri();
    let address = uri.path().len() + uri.query().map_or(0, str::len);
    if address > MAX_ADDRESS {
        return Err(ApiError::address_too_long(MAX_ADDRESS));
    }
    let sizes = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len());
    let mut all = 0;
    for size in sizes {
        all += size;
        if size > MAX_HEADER || all > MAX_HEADERS {
            return Err(ApiError::head_too_large(MAX_HEADER, MAX_HEADERS));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::response::IntoResponse;

    use super::*;

    fn status(uri: usize, headers: &[usize]) -> u16 {
        let mut request = Request::builder().uri(format!("/{}", "a".repeat(uri)));
        for size in headers {
            request = request.header("x-any", "a".repeat(*size));
        }
        let checked = check(&request.body(Body::empty()).unwrap());
        checked.map_or_else(|refusal| refusal.into_response().status().as_u16(), |()| 200)
    }

    /// FAULTS 15: one header, all headers, the address.
    #[test]
    fn heads_are_limited() {
        assert_eq!(status(1_000, &[8_000, 8_000]), 200);
        assert_eq!(status(1, &[20_000]), 431);
        assert_eq!(status(1, &[9_000; 4]), 431);
        assert_eq!(status(9_000, &[]), 414);
    }
}
