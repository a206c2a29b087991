//! How large the head of a request may be. The connection bounds it too, but only
//! roughly: it reads as much at once as there is.

use axum::extract::Request;

use crate::http::errors::ApiError;

/// One header, its name included.
const MOST_OF_ONE: usize = 16 << 10;
/// All of them.
const MOST_IN_ALL: usize = 32 << 10;
/// The address that is asked for.
const MOST_OF_ADDRESS: usize = 8 << 10;

/// Refuses a head that no honest client needs.
pub(super) fn check(request: &Request) -> Result<(), ApiError> {
    let uri = request.uri();
    let address = uri.path().len() + uri.query().map_or(0, str::len);
    if address > MOST_OF_ADDRESS {
        return Err(ApiError::address_too_long(MOST_OF_ADDRESS));
    }
    let sizes = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len());
    let mut all = 0;
    for size in sizes {
        all += size;
        if size > MOST_OF_ONE || all > MOST_IN_ALL {
            return Err(ApiError::head_too_large(MOST_OF_ONE, MOST_IN_ALL));
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
    fn heads_are_bounded() {
        assert_eq!(status(1_000, &[8_000, 8_000]), 200);
        assert_eq!(status(1, &[20_000]), 431);
        assert_eq!(status(1, &[9_000; 4]), 431);
        assert_eq!(status(9_000, &[]), 414);
    }
}
