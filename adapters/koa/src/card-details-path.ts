/** Where the page is, under the public address of the service. */
export const card_details_path = '/card-details';
